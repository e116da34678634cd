import type { Declaration } from "./declarations.ts";

const global = (kind: string, name: string) => `global/${kind}/${name}`;
const link = (path: string) => `https://www.googleapis.com/compute/v1/projects/project-one/${path}`;
const subnetwork = "projects/project-one/regions/europe-west1/subnetworks/web";
const zone = "zones/europe-west1-b";
const account = "web@project-one.iam.gserviceaccount.com";

/** As Google's quickstarts and samples declare them, with what its reference says of defaults, of outputs and of what is input only. */
export const googleDeclarations: readonly Declaration[] = [
  {
    type: "artifactregistry.v1.repository",
    declared: { format: "DOCKER", description: "images of the shop", cleanupPolicyDryRun: false },
    adds: { "/mode": "STANDARD_REPOSITORY" },
    edit: ["/description", "images of the bakery"],
  },
  {
    type: "cloudkms.v1.cryptoKey",
    name: "shop/orders",
    declared: { purpose: "ENCRYPT_DECRYPT", rotationPeriod: "7776000s", nextRotationTime: "2027-01-01T00:00:00Z" },
    adds: {
      "/destroyScheduledDuration": "2592000s",
      "/versionTemplate": { algorithm: "GOOGLE_SYMMETRIC_ENCRYPTION", protectionLevel: "SOFTWARE" },
    },
    edit: ["/rotationPeriod", "15552000s"],
  },
  { type: "cloudkms.v1.keyRing", declared: {} },
  {
    type: "compute.v1.address",
    declared: { addressType: "EXTERNAL", networkTier: "premium", description: "" },
    forms: { "/networkTier": "upper" },
    adds: { "/address": "203.0.113.7" },
  },
  {
    type: "compute.v1.address",
    declared: { addressType: "INTERNAL", purpose: "GCE_ENDPOINT", subnetwork, address: "10.0.0.42" },
  },
  {
    type: "compute.v1.autoscaler",
    declared: {
      target: `${zone}/instanceGroupManagers/web`,
      autoscalingPolicy: { minNumReplicas: 1, maxNumReplicas: 5, cpuUtilization: { utilizationTarget: 0.6 } },
    },
    adds: { "/autoscalingPolicy/coolDownPeriodSec": 60, "/autoscalingPolicy/mode": "ON" },
    edit: ["/autoscalingPolicy/maxNumReplicas", 8],
  },
  {
    type: "compute.v1.backendBucket",
    declared: {
      bucketName: "shop-images",
      enableCdn: true,
      cdnPolicy: { cacheMode: "CACHE_ALL_STATIC", defaultTtl: 3600 },
    },
    adds: { "/cdnPolicy/maxTtl": 86400, "/cdnPolicy/clientTtl": 3600, "/cdnPolicy/negativeCaching": true },
    edit: ["/cdnPolicy/defaultTtl", 7200],
  },
  {
    type: "compute.v1.backendService",
    declared: {
      protocol: "HTTP",
      portName: "http",
      loadBalancingScheme: "EXTERNAL_MANAGED",
      timeoutSec: 30,
      healthChecks: [global("healthChecks", "web")],
      backends: [{ group: `${zone}/instanceGroups/web`, balancingMode: "UTILIZATION", maxUtilization: 0.8 }],
      enableCDN: false,
      description: "",
    },
    adds: {
      "/backends/*/capacityScaler": 1,
      "/connectionDraining": { drainingTimeoutSec: 300 },
      "/sessionAffinity": "NONE",
      "/localityLbPolicy": "ROUND_ROBIN",
    },
    edit: ["/timeoutSec", 60],
  },
  {
    type: "compute.v1.backendService",
    declared: {
      protocol: "HTTPS",
      loadBalancingScheme: "EXTERNAL",
      healthChecks: [global("healthChecks", "web")],
      iap: { enabled: true, oauth2ClientId: "client", oauth2ClientSecret: "secret-of-the-client" },
      connectionDraining: { drainingTimeoutSec: 0 },
    },
    forms: { "/iap/oauth2ClientSecret": "never" },
    adds: { "/iap/oauth2ClientSecretSha256": "e3b0c44298fc1c149afbf4c8996fb924", "/sessionAffinity": "NONE" },
    edit: ["/iap/oauth2ClientId", "another-client"],
  },
  {
    type: "compute.v1.disk",
    declared: {
      sizeGb: 20,
      type: `${zone}/diskTypes/pd-ssd`,
      sourceImage: "projects/debian-cloud/global/images/family/debian-12",
    },
    forms: {
      "/sourceImage":
        "as:https://www.googleapis.com/compute/v1/projects/debian-cloud/global/images/debian-12-bookworm-v20261110",
      "/sizeGb": "text",
    },
    adds: { "/guestOsFeatures": [{ type: "UEFI_COMPATIBLE" }], "/physicalBlockSizeBytes": "4096" },
    edit: ["/sizeGb", 40],
  },
  {
    type: "compute.v1.externalVpnGateway",
    declared: { redundancyType: "SINGLE_IP_INTERNALLY_REDUNDANT", interfaces: [{ id: 0, ipAddress: "203.0.113.9" }] },
  },
  {
    type: "compute.v1.firewall",
    declared: {
      network: global("networks", "default"),
      direction: "INGRESS",
      sourceRanges: ["203.0.113.0/24", "198.51.100.0/24"],
      allowed: [{ IPProtocol: "TCP", ports: ["80", "443"] }],
      disabled: false,
      logConfig: { enable: false },
    },
    forms: { "/allowed/*/IPProtocol": "lower" },
    adds: { "/priority": 1000 },
    edit: ["/disabled", true],
  },
  {
    type: "compute.v1.firewall",
    declared: {
      network: link("global/networks/default"),
      priority: 65000,
      denied: [{ IPProtocol: "all" }],
      sourceRanges: ["0.0.0.0/0"],
      targetTags: ["web", "api"],
    },
    forms: { "/targetTags": "sorted" },
    adds: { "/direction": "INGRESS", "/disabled": false, "/logConfig": { enable: false } },
    edit: ["/targetTags", ["web"]],
  },
  {
    type: "compute.v1.forwardingRule",
    at: "projects/project-one/global/forwardingRules/web",
    declared: {
      IPProtocol: "TCP",
      portRange: "443",
      loadBalancingScheme: "EXTERNAL_MANAGED",
      target: global("targetHttpsProxies", "web"),
    },
    forms: { "/portRange": "range" },
    adds: { "/networkTier": "PREMIUM", "/IPAddress": "203.0.113.7" },
    edit: ["/target", "global/targetHttpsProxies/other"],
  },
  {
    type: "compute.v1.forwardingRule",
    declared: {
      IPProtocol: "tcp",
      ports: ["80", "443"],
      loadBalancingScheme: "INTERNAL",
      subnetwork,
      network: global("networks", "default"),
      backendService: "regions/europe-west1/backendServices/web",
      allPorts: false,
    },
    forms: { "/IPProtocol": "upper", "/allPorts": "noEmpty" },
    adds: { "/networkTier": "PREMIUM", "/IPAddress": "10.0.0.7" },
  },
  {
    type: "compute.v1.healthCheck",
    declared: { type: "HTTP", checkIntervalSec: 10, httpHealthCheck: { port: 80, requestPath: "/ready" } },
    adds: {
      "/httpHealthCheck/proxyHeader": "NONE",
      "/healthyThreshold": 2,
      "/unhealthyThreshold": 2,
      "/timeoutSec": 5,
    },
    edit: ["/checkIntervalSec", 30],
  },
  {
    type: "compute.v1.httpHealthCheck",
    declared: { port: 80, requestPath: "/" },
    adds: { "/checkIntervalSec": 5, "/healthyThreshold": 2, "/timeoutSec": 5, "/unhealthyThreshold": 2 },
    edit: ["/requestPath", "/ready"],
  },
  {
    type: "compute.v1.image",
    declared: { sourceImage: "projects/debian-cloud/global/images/family/debian-12", description: "of the shop" },
    forms: {
      "/sourceImage":
        "as:https://www.googleapis.com/compute/v1/projects/debian-cloud/global/images/debian-12-bookworm-v20261110",
    },
    adds: { "/storageLocations": ["eu"], "/diskSizeGb": "10" },
    edit: ["/description", "of the bakery"],
  },
  {
    type: "compute.v1.instance",
    declared: {
      machineType: `${zone}/machineTypes/e2-medium`,
      disks: [
        {
          boot: true,
          autoDelete: true,
          initializeParams: {
            sourceImage: "projects/debian-cloud/global/images/family/debian-12",
            diskSizeGb: 20,
            diskType: `${zone}/diskTypes/pd-ssd`,
          },
        },
      ],
      networkInterfaces: [
        { network: global("networks", "default"), accessConfigs: [{ name: "External NAT", type: "ONE_TO_ONE_NAT" }] },
      ],
      metadata: { items: [{ key: "enable-oslogin", value: "TRUE" }] },
      tags: { items: ["web"] },
      serviceAccounts: [{ email: account, scopes: ["https://www.googleapis.com/auth/cloud-platform"] }],
      shieldedInstanceConfig: {},
    },
    adds: {
      "/disks/*/source": link(`${zone}/disks/app`),
      "/disks/*/deviceName": "persistent-disk-0",
      "/disks/*/index": 0,
      "/disks/*/mode": "READ_WRITE",
      "/disks/*/diskSizeGb": "20",
      "/networkInterfaces/*/name": "nic0",
      "/networkInterfaces/*/stackType": "IPV4_ONLY",
      "/networkInterfaces/*/networkIP": "10.132.0.2",
      "/networkInterfaces/*/accessConfigs/*/natIP": "203.0.113.20",
      "/shieldedInstanceConfig/enableVtpm": true,
      "/scheduling": { automaticRestart: true, onHostMaintenance: "MIGRATE", preemptible: false },
      "/deletionProtection": false,
      "/canIpForward": false,
    },
    edit: ["/metadata/items/0/value", "FALSE"],
  },
  {
    type: "compute.v1.instanceGroup",
    declared: { description: "web", namedPorts: [{ name: "http", port: 80 }] },
    adds: { "/size": 0 },
    edit: ["/namedPorts/0/port", 8080],
  },
  {
    type: "compute.v1.instanceGroupManager",
    declared: {
      baseInstanceName: "web",
      instanceTemplate: global("instanceTemplates", "web"),
      targetSize: 2,
      autoHealingPolicies: [{ healthCheck: global("healthChecks", "web"), initialDelaySec: 300 }],
      updatePolicy: {
        type: "PROACTIVE",
        minimalAction: "REPLACE",
        maxSurge: { fixed: 1 },
        maxUnavailable: { fixed: 0 },
      },
    },
    adds: {
      "/versions": [{ instanceTemplate: link("global/instanceTemplates/web"), targetSize: { calculated: 2 } }],
      "/updatePolicy/maxSurge/calculated": 1,
      "/updatePolicy/replacementMethod": "SUBSTITUTE",
      "/listManagedInstancesResults": "PAGELESS",
    },
    edit: ["/targetSize", 4],
  },
  {
    type: "compute.v1.instanceTemplate",
    declared: {
      properties: {
        machineType: "e2-medium",
        disks: [
          {
            boot: true,
            autoDelete: true,
            initializeParams: {
              sourceImage: "projects/debian-cloud/global/images/family/debian-12",
              diskType: "pd-balanced",
            },
          },
        ],
        networkInterfaces: [{ network: global("networks", "default") }],
        metadata: {},
        tags: {},
      },
    },
    adds: {
      "/properties/disks/*/mode": "READ_WRITE",
      "/properties/disks/*/type": "PERSISTENT",
      "/properties/disks/*/deviceName": "boot",
      "/properties/metadata/fingerprint": "1B2M2Y8AsgTpgAmY7PhCfg==",
      "/properties/networkInterfaces/*/name": "nic0",
      "/properties/scheduling": { automaticRestart: true, onHostMaintenance: "MIGRATE", preemptible: false },
    },
  },
  {
    type: "compute.v1.network",
    declared: {
      autoCreateSubnetworks: false,
      routingConfig: { routingMode: "REGIONAL" },
      enableUlaInternalIpv6: false,
      mtu: 1460,
    },
    forms: { "/enableUlaInternalIpv6": "noEmpty" },
    adds: {
      "/networkFirewallPolicyEnforcementOrder": "AFTER_CLASSIC_FIREWALL",
      "/routingConfig/bgpBestPathSelectionMode": "LEGACY",
    },
    edit: ["/routingConfig/routingMode", "GLOBAL"],
  },
  {
    type: "compute.v1.networkAttachment",
    declared: {
      connectionPreference: "ACCEPT_MANUAL",
      subnetworks: [subnetwork],
      producerAcceptLists: ["project-two"],
      producerRejectLists: [],
    },
    adds: { "/description": "" },
    edit: ["/producerAcceptLists", ["project-three"]],
  },
  {
    type: "compute.v1.networkEndpointGroup",
    declared: { networkEndpointType: "SERVERLESS", cloudRun: { service: "web" } },
    adds: { "/size": 0 },
  },
  {
    type: "compute.v1.resourcePolicy",
    declared: {
      snapshotSchedulePolicy: {
        schedule: { dailySchedule: { daysInCycle: 1, startTime: "04:00" } },
        retentionPolicy: { maxRetentionDays: 14, onSourceDiskDelete: "KEEP_AUTO_SNAPSHOTS" },
      },
    },
    adds: { "/snapshotSchedulePolicy/schedule/dailySchedule/duration": "PT14400S" },
    edit: ["/snapshotSchedulePolicy/retentionPolicy/maxRetentionDays", 7],
  },
  {
    type: "compute.v1.route",
    declared: {
      network: global("networks", "default"),
      destRange: "10.8.0.0/16",
      nextHopIp: "10.132.0.5",
      priority: 100,
      tags: [],
    },
    forms: { "/tags": "noEmpty" },
  },
  {
    type: "compute.v1.router",
    declared: {
      network: global("networks", "default"),
      bgp: { asn: 64514, advertiseMode: "DEFAULT" },
      nats: [
        {
          name: "nat",
          natIpAllocateOption: "AUTO_ONLY",
          sourceSubnetworkIpRangesToNat: "ALL_SUBNETWORKS_ALL_IP_RANGES",
          logConfig: { enable: false },
        },
      ],
    },
    adds: {
      "/bgp/keepaliveInterval": 20,
      "/nats/*/endpointTypes": ["ENDPOINT_TYPE_VM"],
      "/nats/*/enableEndpointIndependentMapping": false,
      "/nats/*/type": "PUBLIC",
      "/encryptedInterconnectRouter": false,
    },
    edit: ["/nats/0/logConfig/enable", true],
  },
  {
    type: "compute.v1.securityPolicy",
    declared: {
      type: "CLOUD_ARMOR",
      rules: [
        {
          priority: 2147483647,
          action: "deny(403)",
          match: { versionedExpr: "SRC_IPS_V1", config: { srcIpRanges: ["*"] } },
        },
        {
          priority: 1000,
          action: "allow",
          match: { versionedExpr: "SRC_IPS_V1", config: { srcIpRanges: ["203.0.113.0/24"] } },
        },
      ],
    },
    forms: { "/rules": "sortedBy:priority" },
    adds: { "/rules/*/preview": false, "/rules/*/description": "" },
  },
  {
    type: "compute.v1.snapshot",
    declared: { sourceDisk: `${zone}/disks/data`, storageLocations: ["EU"] },
    forms: { "/storageLocations/*": "lower" },
    adds: { "/diskSizeGb": "20" },
  },
  {
    type: "compute.v1.sslCertificate",
    declared: { type: "MANAGED", managed: { domains: ["shop.example.com"] } },
    adds: { "/managed/status": "PROVISIONING" },
  },
  {
    type: "compute.v1.sslCertificate",
    declared: {
      certificate: "-----BEGIN CERTIFICATE-----\nMIID\n-----END CERTIFICATE-----\n",
      privateKey: "-----BEGIN PRIVATE KEY-----\nMIIE\n-----END PRIVATE KEY-----\n",
    },
    forms: { "/privateKey": "never" },
    adds: {
      "/type": "SELF_MANAGED",
      "/selfManaged": { certificate: "-----BEGIN CERTIFICATE-----\nMIID\n-----END CERTIFICATE-----\n" },
    },
  },
  {
    type: "compute.v1.sslPolicy",
    declared: { minTlsVersion: "TLS_1_2", profile: "MODERN" },
    adds: { "/enabledFeatures": ["TLS_ECDHE_ECDSA_WITH_AES_128_GCM_SHA256", "TLS_ECDHE_RSA_WITH_AES_128_GCM_SHA256"] },
    edit: ["/profile", "RESTRICTED"],
  },
  {
    type: "compute.v1.subnetwork",
    declared: {
      network: global("networks", "shop"),
      ipCidrRange: "10.2.0.0/20",
      privateIpGoogleAccess: true,
      secondaryIpRanges: [{ rangeName: "pods", ipCidrRange: "10.4.0.0/14" }],
      logConfig: { enable: false },
    },
    adds: {
      "/purpose": "PRIVATE",
      "/stackType": "IPV4_ONLY",
      "/privateIpv6GoogleAccess": "DISABLE_GOOGLE_ACCESS",
      "/gatewayAddress": "10.2.0.1",
    },
    edit: ["/privateIpGoogleAccess", false],
  },
  {
    type: "compute.v1.targetHttpProxy",
    at: "projects/project-one/global/targetHttpProxies/web",
    declared: { urlMap: global("urlMaps", "web"), proxyBind: false },
    forms: { "/proxyBind": "noEmpty" },
    edit: ["/urlMap", "global/urlMaps/other"],
  },
  {
    type: "compute.v1.targetHttpProxy",
    declared: { urlMap: "regions/europe-west1/urlMaps/web", description: "" },
    edit: ["/urlMap", "regions/europe-west1/urlMaps/other"],
  },
  {
    type: "compute.v1.targetHttpsProxy",
    at: "projects/project-one/global/targetHttpsProxies/web",
    declared: {
      urlMap: global("urlMaps", "web"),
      sslCertificates: [global("sslCertificates", "web")],
      quicOverride: "NONE",
    },
    adds: { "/tlsEarlyData": "DISABLED" },
    edit: ["/quicOverride", "ENABLE"],
  },
  {
    type: "compute.v1.targetTcpProxy",
    at: "projects/project-one/global/targetTcpProxies/web",
    declared: { service: global("backendServices", "web"), proxyHeader: "NONE" },
    edit: ["/proxyHeader", "PROXY_V1"],
  },
  {
    type: "compute.v1.urlMap",
    declared: {
      defaultService: global("backendServices", "web"),
      hostRules: [{ hosts: ["shop.example.com"], pathMatcher: "shop" }],
      pathMatchers: [
        {
          name: "shop",
          defaultService: global("backendServices", "web"),
          pathRules: [{ paths: ["/images/*"], service: global("backendBuckets", "images") }],
        },
      ],
      tests: [],
    },
    forms: { "/tests": "noEmpty" },
    edit: ["/pathMatchers/0/pathRules/0/paths", ["/pictures/*"]],
  },
  {
    type: "compute.v1.vpnGateway",
    declared: { network: global("networks", "default"), stackType: "IPV4_ONLY" },
    adds: { "/vpnInterfaces": [{ id: 0, ipAddress: "203.0.113.30" }], "/gatewayIpVersion": "IPV4" },
  },
  {
    type: "compute.v1.vpnTunnel",
    declared: {
      vpnGateway: "regions/europe-west1/vpnGateways/shop",
      vpnGatewayInterface: 0,
      peerExternalGateway: global("externalVpnGateways", "office"),
      peerExternalGatewayInterface: 0,
      router: "regions/europe-west1/routers/shop",
      sharedSecret: "secret-of-the-tunnel",
      ikeVersion: 2,
    },
    forms: { "/sharedSecret": "as:*************" },
    adds: { "/sharedSecretHash": "AOs4oVY4bX91gba6DIeg1DbtzWTj", "/localTrafficSelector": ["0.0.0.0/0"] },
  },
  {
    type: "iam.v1.role",
    declared: {
      title: "Buyers",
      description: "",
      stage: "GA",
      includedPermissions: ["storage.objects.list", "storage.objects.get"],
    },
    forms: { "/includedPermissions": "sorted" },
    edit: ["/title", "Bakers"],
  },
  {
    type: "iam.v1.serviceAccount",
    name: "web-of-the-shop",
    declared: { displayName: "Web", description: "of the shop" },
    adds: { "/oauth2ClientId": "888888888888888888888" },
    edit: ["/displayName", "Web of the shop"],
  },
  {
    type: "pubsub.v1.topic",
    declared: {
      messageRetentionDuration: "86400s",
      messageStoragePolicy: { allowedPersistenceRegions: ["europe-west1"], enforceInTransit: false },
    },
    edit: ["/messageRetentionDuration", "172800s"],
  },
  {
    type: "pubsub.v1.subscription",
    declared: {
      topic: "projects/project-one/topics/orders",
      ackDeadlineSeconds: 20,
      retainAckedMessages: false,
      enableMessageOrdering: false,
      pushConfig: {},
    },
    adds: { "/expirationPolicy": { ttl: "2678400s" }, "/messageRetentionDuration": "604800s" },
    edit: ["/ackDeadlineSeconds", 60],
  },
  {
    type: "pubsub.v1.subscription",
    declared: {
      topic: "projects/project-one/topics/orders",
      cloudStorageConfig: { bucket: "orders", maxBytes: 10240, maxDuration: "300s" },
      expirationPolicy: {},
    },
    forms: { "/cloudStorageConfig/maxBytes": "text" },
    adds: { "/ackDeadlineSeconds": 10, "/cloudStorageConfig/textConfig": {} },
    edit: ["/cloudStorageConfig/maxDuration", "600s"],
  },
  {
    type: "redis.v1.instance",
    declared: {
      tier: "STANDARD_HA",
      memorySizeGb: 5,
      redisVersion: "REDIS_7_2",
      authEnabled: false,
      transitEncryptionMode: "DISABLED",
      redisConfigs: { "maxmemory-policy": "allkeys-lru" },
    },
    adds: { "/connectMode": "DIRECT_PEERING", "/replicaCount": 1, "/readReplicasMode": "READ_REPLICAS_DISABLED" },
    edit: ["/memorySizeGb", 8],
  },
  {
    type: "run.v2.service",
    declared: {
      ingress: "INGRESS_TRAFFIC_ALL",
      template: {
        containers: [
          {
            image: "europe-docker.pkg.dev/project-one/shop/web:1",
            resources: { limits: { cpu: "1", memory: "512Mi" } },
            env: [{ name: "MODE", value: "live" }],
          },
        ],
        scaling: { minInstanceCount: 0, maxInstanceCount: 10 },
      },
      invokerIamDisabled: false,
    },
    forms: { "/template/containers/*/resources/limits/cpu": "milli" },
    adds: {
      "/launchStage": "GA",
      "/traffic": [{ type: "TRAFFIC_TARGET_ALLOCATION_TYPE_LATEST", percent: 100 }],
      "/template/timeout": "300s",
      "/template/serviceAccount": "1-compute@developer.gserviceaccount.com",
      "/template/maxInstanceRequestConcurrency": 80,
      "/template/containers/*/ports": [{ name: "http1", containerPort: 8080 }],
      "/template/containers/*/startupProbe": {
        timeoutSeconds: 240,
        periodSeconds: 240,
        failureThreshold: 1,
        tcpSocket: { port: 8080 },
      },
    },
    edit: ["/template/scaling/maxInstanceCount", 20],
  },
  {
    type: "run.v2.service",
    declared: {
      template: {
        serviceAccount: account,
        containers: [
          { name: "web", image: "shop/web", volumeMounts: [{ name: "cloudsql", mountPath: "/cloudsql" }] },
          {
            name: "proxy",
            image: "shop/proxy",
            env: [{ name: "TOKEN", valueSource: { secretKeyRef: { secret: "token", version: "latest" } } }],
          },
        ],
        volumes: [{ name: "cloudsql", cloudSqlInstance: { instances: ["project-one:europe-west1:shop"] } }],
      },
      traffic: [{ type: "TRAFFIC_TARGET_ALLOCATION_TYPE_LATEST", percent: 100 }],
    },
    adds: {
      "/ingress": "INGRESS_TRAFFIC_ALL",
      "/template/containers/*/resources": { limits: { cpu: "1000m", memory: "512Mi" }, cpuIdle: true },
      "/template/executionEnvironment": "EXECUTION_ENVIRONMENT_GEN2",
    },
    edit: ["/template/containers/0/image", "shop/web:2"],
  },
  {
    type: "run.v2.job",
    declared: {
      launchStage: "GA",
      template: { taskCount: 1, template: { containers: [{ image: "shop/job:1" }], maxRetries: 3, timeout: "600s" } },
    },
    adds: {
      "/template/template/containers/*/resources": { limits: { cpu: "1000m", memory: "512Mi" } },
      "/template/template/executionEnvironment": "EXECUTION_ENVIRONMENT_GEN2",
    },
    edit: ["/template/template/maxRetries", 1],
  },
  {
    type: "secretmanager.v1.secret",
    declared: { replication: { automatic: {} }, annotations: { team: "shop" } },
    edit: ["/annotations/team", "bakery"],
  },
  {
    type: "sqladmin.v1.instance",
    declared: {
      databaseVersion: "POSTGRES_17",
      region: "europe-west1",
      rootPassword: "P4ssw0rd-of-the-root",
      settings: {
        tier: "db-custom-2-7680",
        edition: "ENTERPRISE",
        availabilityType: "ZONAL",
        dataDiskSizeGb: 20,
        backupConfiguration: { enabled: true, startTime: "03:00", pointInTimeRecoveryEnabled: false },
        ipConfiguration: { ipv4Enabled: true, authorizedNetworks: [{ name: "office", value: "203.0.113.0/24" }] },
        databaseFlags: [{ name: "log_connections", value: "on" }],
        insightsConfig: { queryInsightsEnabled: false },
      },
    },
    forms: {
      "/rootPassword": "never",
      "/settings/backupConfiguration/pointInTimeRecoveryEnabled": "noEmpty",
      "/settings/insightsConfig/queryInsightsEnabled": "noEmpty",
      "/settings/dataDiskSizeGb": "text",
    },
    adds: {
      "/settings/activationPolicy": "ALWAYS",
      "/settings/pricingPlan": "PER_USE",
      "/settings/replicationType": "SYNCHRONOUS",
      "/settings/storageAutoResize": true,
      "/settings/ipConfiguration/sslMode": "ALLOW_UNENCRYPTED_AND_ENCRYPTED",
      "/settings/ipConfiguration/authorizedNetworks/*/kind": "sql#aclEntry",
      "/settings/backupConfiguration/backupRetentionSettings": { retainedBackups: 7, retentionUnit: "COUNT" },
      "/instanceType": "CLOUD_SQL_INSTANCE",
      "/backendType": "SECOND_GEN",
    },
    edit: ["/settings/tier", "db-custom-4-15360"],
  },
  {
    type: "sqladmin.v1.database",
    name: "shop/orders",
    declared: { charset: "utf8", collation: "utf8_general_ci" },
    edit: ["/collation", "utf8_unicode_ci"],
  },
  {
    type: "storage.v1.bucket",
    declared: {
      location: "europe-west1",
      storageClass: "STANDARD",
      iamConfiguration: { uniformBucketLevelAccess: { enabled: true } },
      versioning: { enabled: true },
      lifecycle: { rule: [] },
    },
    forms: { "/location": "upper", "/lifecycle": "noneInside" },
    adds: {
      "/locationType": "region",
      "/softDeletePolicy": { retentionDurationSeconds: "604800" },
      "/iamConfiguration/publicAccessPrevention": "inherited",
      "/iamConfiguration/uniformBucketLevelAccess/lockedTime": "2027-02-01T00:00:00Z",
    },
    edit: ["/versioning/enabled", false],
  },
  {
    type: "storage.v1.bucket",
    declared: {
      location: "eu",
      storageClass: "nearline",
      website: { mainPageSuffix: "index.html" },
      cors: [{ origin: ["https://shop.example.com"], method: ["GET"], maxAgeSeconds: 3600 }],
      lifecycle: { rule: [{ action: { type: "Delete" }, condition: { age: 30 } }] },
    },
    forms: { "/location": "upper", "/storageClass": "upper" },
    adds: { "/locationType": "multi-region", "/rpo": "DEFAULT" },
    edit: ["/lifecycle/rule/0/condition/age", 60],
  },
  {
    type: "workflows.v1.workflow",
    declared: {
      sourceContents: "main:\n  steps:\n    - end:\n        return: done",
      serviceAccount: account,
      callLogLevel: "LOG_ERRORS_ONLY",
    },
    forms: { "/serviceAccount": "starts:projects/project-one/serviceAccounts/" },
    adds: { "/executionHistoryLevel": "EXECUTION_HISTORY_BASIC" },
    edit: ["/callLogLevel", "LOG_ALL_CALLS"],
  },
];
