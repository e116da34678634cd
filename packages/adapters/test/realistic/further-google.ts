import type { Declaration } from "./declarations.ts";

const project = "projects/project-one";
const link = (path: string) => `https://www.googleapis.com/compute/v1/${project}/${path}`;
const region = "regions/europe-west1";
const zone = "zones/europe-west1-b";
const account = "web@project-one.iam.gserviceaccount.com";

/** Google's types with rules, mirrors, prefixes and pools, and richer declarations of the common ones. */
export const furtherGoogleDeclarations: readonly Declaration[] = [
  {
    type: "compute.v1.firewallPolicy",
    declared: {
      shortName: "shop",
      description: "what may reach the shop",
      rules: [
        {
          action: "allow",
          direction: "INGRESS",
          priority: 1000,
          match: {
            srcIpRanges: ["203.0.113.7/32", "198.51.100.0/24"],
            layer4Configs: [{ ipProtocol: "tcp", ports: ["443"] }],
          },
        },
        {
          action: "deny",
          direction: "EGRESS",
          priority: 2000,
          enableLogging: true,
          match: { destIpRanges: ["0.0.0.0/0"], layer4Configs: [{ ipProtocol: "all" }] },
        },
      ],
    },
    adds: { "/rules/*/kind": "compute#firewallPolicyRule", "/rules/*/disabled": false, "/ruleTupleCount": 4 },
    edit: ["/description", "what may reach the bakery"],
  },
  {
    type: "compute.v1.healthCheckService",
    declared: {
      healthChecks: [`${region}/healthChecks/web`, `${region}/healthChecks/api`],
      healthStatusAggregationPolicy: "NO_AGGREGATION",
      networkEndpointGroups: [`${zone}/networkEndpointGroups/web`],
    },
    forms: { "/healthChecks/*": `starts:${link("")}`, "/networkEndpointGroups/*": `starts:${link("")}` },
    edit: ["/healthStatusAggregationPolicy", "AND"],
  },
  {
    type: "compute.v1.httpsHealthCheck",
    declared: { requestPath: "/ready", port: 8443, host: "" },
    adds: { "/checkIntervalSec": 5, "/timeoutSec": 5, "/healthyThreshold": 2, "/unhealthyThreshold": 2 },
    forms: { "/host": "noEmpty" },
    edit: ["/port", 443],
  },
  {
    type: "compute.v1.machineImage",
    declared: {
      sourceInstance: `${zone}/instances/web`,
      description: "before the update",
      guestFlush: true,
      storageLocations: ["europe-west1"],
    },
    forms: { "/guestFlush": "never", "/sourceInstance": `starts:${link("")}` },
    adds: { "/totalStorageBytes": "1024" },
  },
  {
    type: "compute.v1.networkEdgeSecurityService",
    declared: { description: "edge", securityPolicy: `${region}/securityPolicies/edge` },
    forms: { "/securityPolicy": `starts:${link("")}` },
    edit: ["/description", "edge of the shop"],
  },
  {
    type: "compute.v1.nodeGroup",
    declared: {
      initialNodeCount: 1,
      nodeTemplate: `${region}/nodeTemplates/sole`,
      maintenancePolicy: "DEFAULT",
      autoscalingPolicy: { mode: "ON", minNodes: 1, maxNodes: 3 },
    },
    forms: { "/nodeTemplate": `starts:${link("")}` },
    adds: { "/size": 1, "/maintenanceInterval": "AS_NEEDED", "/shareSettings": { shareType: "LOCAL" } },
    edit: ["/autoscalingPolicy/maxNodes", 5],
  },
  {
    type: "compute.v1.nodeTemplate",
    declared: {
      nodeType: "n2-node-80-640",
      nodeAffinityLabels: { team: "shop" },
      serverBinding: { type: "RESTART_NODE_ON_ANY_SERVER" },
      disks: [{ diskType: "local-ssd", diskSizeGb: 375, diskCount: 2 }],
    },
    adds: { "/cpuOvercommitType": "NONE" },
  },
  {
    type: "compute.v1.notificationEndpoint",
    declared: {
      grpcSettings: {
        endpoint: "notify.example.com:443",
        payloadName: "shop",
        retryDurationSec: 30,
        resendInterval: { seconds: 60 },
      },
    },
    forms: { "/grpcSettings/resendInterval/seconds": "text" },
    adds: { "/grpcSettings/authority": "" },
  },
  {
    type: "compute.v1.packetMirroring",
    declared: {
      network: { url: "global/networks/default" },
      collectorIlb: { url: `${region}/forwardingRules/collector` },
      mirroredResources: { subnetworks: [{ url: `${region}/subnetworks/web` }], tags: ["web", "api"] },
      filter: { IPProtocols: ["tcp"], cidrRanges: ["0.0.0.0/0"], direction: "BOTH" },
    },
    forms: {
      "/network/url": `starts:${link("")}`,
      "/collectorIlb/url": `starts:${link("")}`,
      "/mirroredResources/subnetworks/*/url": `starts:${link("")}`,
      "/mirroredResources/tags": "sorted",
    },
    adds: {
      "/enable": "TRUE",
      "/priority": 1000,
      "/network/canonicalUrl": link("global/networks/1"),
      "/mirroredResources/subnetworks/*/canonicalUrl": link(`${region}/subnetworks/1`),
    },
    edit: ["/filter/direction", "INGRESS"],
  },
  {
    type: "compute.v1.publicDelegatedPrefix",
    declared: {
      description: "of the office",
      parentPrefix: `${project}/global/publicAdvertisedPrefixes/own`,
      ipCidrRange: "203.0.113.0/28",
      mode: "DELEGATION",
      isLiveMigration: false,
    },
    forms: { "/parentPrefix": "starts:https://www.googleapis.com/compute/v1/", "/isLiveMigration": "noEmpty" },
    adds: { "/allocatablePrefixLength": 32 },
    edit: ["/description", "of the shop"],
  },
  {
    type: "compute.v1.reservation",
    declared: {
      specificReservationRequired: true,
      specificReservation: {
        count: 2,
        instanceProperties: {
          machineType: "n1-standard-4",
          minCpuPlatform: "Intel Haswell",
          guestAccelerators: [{ acceleratorType: "nvidia-tesla-t4", acceleratorCount: 1 }],
          localSsds: [{ diskSizeGb: 375, interface: "SCSI" }],
        },
      },
    },
    forms: {
      "/specificReservation/count": "text",
      "/specificReservation/instanceProperties/localSsds/*/diskSizeGb": "text",
    },
    adds: {
      "/specificReservation/inUseCount": "0",
      "/specificReservation/assuredCount": "2",
      "/shareSettings": { shareType: "LOCAL" },
      "/schedulingType": "INDEPENDENT",
    },
    edit: ["/specificReservation/count", 3],
  },
  {
    type: "compute.v1.serviceAttachment",
    declared: {
      connectionPreference: "ACCEPT_MANUAL",
      targetService: `${region}/forwardingRules/web`,
      natSubnets: [`${region}/subnetworks/nat`],
      enableProxyProtocol: false,
      consumerAcceptLists: [{ projectIdOrNum: "project-two", connectionLimit: 10 }],
      consumerRejectLists: ["project-three"],
    },
    forms: {
      "/targetService": `starts:${link("")}`,
      "/natSubnets/*": `starts:${link("")}`,
      "/enableProxyProtocol": "noEmpty",
    },
    adds: { "/reconcileConnections": true, "/propagatedConnectionLimit": 250 },
    edit: ["/consumerAcceptLists/0/connectionLimit", 20],
  },
  {
    type: "compute.v1.storagePool",
    declared: {
      storagePoolType: `${zone}/storagePoolTypes/hyperdisk-balanced`,
      poolProvisionedCapacityGb: "10240",
      poolProvisionedIops: "10000",
      poolProvisionedThroughput: "1024",
    },
    forms: { "/storagePoolType": `starts:${link("")}` },
    adds: { "/capacityProvisioningType": "ADVANCED", "/performanceProvisioningType": "ADVANCED" },
    edit: ["/poolProvisionedIops", "20000"],
  },
  {
    type: "compute.v1.targetGrpcProxy",
    declared: { urlMap: "global/urlMaps/web", validateForProxyless: true },
    forms: { "/urlMap": `starts:${link("")}` },
  },
  {
    type: "compute.v1.targetInstance",
    declared: { instance: `${zone}/instances/web`, natPolicy: "NO_NAT" },
    forms: { "/instance": `starts:${link("")}` },
  },
  {
    type: "compute.v1.targetPool",
    declared: {
      instances: [`${zone}/instances/web-2`, `${zone}/instances/web-1`],
      healthChecks: ["global/httpHealthChecks/web"],
      sessionAffinity: "CLIENT_IP",
    },
    forms: {
      "/instances": "sorted",
      "/instances/*": `starts:${link("")}`,
      "/healthChecks/*": `starts:${link("")}`,
    },
  },
  {
    type: "compute.v1.targetSslProxy",
    declared: {
      service: "global/backendServices/web",
      sslCertificates: ["global/sslCertificates/web"],
      proxyHeader: "NONE",
    },
    forms: { "/service": `starts:${link("")}`, "/sslCertificates/*": `starts:${link("")}` },
    edit: ["/proxyHeader", "PROXY_V1"],
  },
  {
    type: "compute.v1.instance",
    name: "database",
    declared: {
      machineType: `${zone}/machineTypes/n2-standard-4`,
      minCpuPlatform: "Intel Ice Lake",
      canIpForward: false,
      disks: [
        {
          boot: true,
          autoDelete: true,
          deviceName: "boot",
          initializeParams: { sourceImage: "projects/debian-cloud/global/images/family/debian-12", diskSizeGb: "50" },
        },
        {
          deviceName: "data",
          mode: "READ_WRITE",
          source: `${zone}/disks/data`,
          diskEncryptionKey: { rawKey: "c2VjcmV0LWtleS1vZi0zMi1ieXRlcy1mb3ItZGlza3M=" },
        },
      ],
      networkInterfaces: [
        {
          subnetwork: `${region}/subnetworks/web`,
          aliasIpRanges: [{ ipCidrRange: "/28", subnetworkRangeName: "pods" }],
        },
      ],
      guestAccelerators: [{ acceleratorType: `${zone}/acceleratorTypes/nvidia-tesla-t4`, acceleratorCount: 1 }],
      scheduling: { onHostMaintenance: "terminate", automaticRestart: false, preemptible: true },
      metadata: {
        items: [
          { key: "startup-script", value: "#!/bin/sh\necho shop\n" },
          { key: "ssh-keys", value: "ada:ssh-ed25519 AAAA ada" },
        ],
      },
      tags: { items: ["web", "database"] },
    },
    forms: {
      "/scheduling/onHostMaintenance": "upper",
      "/tags/items": "sorted",
      "/disks/*/initializeParams": "never",
      "/disks/*/diskEncryptionKey/rawKey": "never",
      "/disks/*/source": `starts:${link("")}`,
      "/networkInterfaces/*/subnetwork": `starts:${link("")}`,
      "/networkInterfaces/*/aliasIpRanges/*/ipCidrRange": "as:10.20.0.0/28",
      "/machineType": `starts:${link("")}`,
      "/guestAccelerators/*/acceleratorType": `starts:${link("")}`,
      "/canIpForward": "noEmpty",
    },
    adds: {
      "/disks/*/type": "PERSISTENT",
      "/disks/*/diskEncryptionKey/sha256": "abc=",
      "/networkInterfaces/*/name": "nic0",
      "/scheduling/provisioningModel": "STANDARD",
      "/deletionProtection": false,
    },
    edit: ["/metadata/items/0/value", "#!/bin/sh\necho bakery\n"],
  },
  {
    type: "compute.v1.router",
    name: "peering",
    declared: {
      network: "global/networks/default",
      bgp: {
        asn: 64514,
        advertiseMode: "CUSTOM",
        advertisedGroups: ["ALL_SUBNETS"],
        advertisedIpRanges: [{ range: "203.0.113.0/28", description: "" }],
      },
      interfaces: [{ name: "one", ipRange: "169.254.1.1/30", linkedVpnTunnel: `${region}/vpnTunnels/one` }],
      bgpPeers: [
        {
          name: "office",
          interfaceName: "one",
          peerIpAddress: "169.254.1.2",
          peerAsn: 64515,
          md5AuthenticationKeyName: "k",
        },
      ],
      md5AuthenticationKeys: [{ name: "k", key: "secret-of-bgp" }],
    },
    forms: {
      "/network": `starts:${link("")}`,
      "/interfaces/*/linkedVpnTunnel": `starts:${link("")}`,
      "/md5AuthenticationKeys/*/key": "never",
      "/bgp/advertisedIpRanges/*/description": "noEmpty",
    },
    adds: {
      "/interfaces/*/managementType": "MANAGED_BY_USER",
      "/bgpPeers/*/advertiseMode": "DEFAULT",
      "/bgpPeers/*/advertisedRoutePriority": 100,
      "/bgpPeers/*/enable": "TRUE",
      "/bgpPeers/*/ipAddress": "169.254.1.1",
      "/bgpPeers/*/bfd": { sessionInitializationMode: "DISABLED" },
    },
    edit: ["/bgpPeers/0/peerAsn", 64516],
  },
  {
    type: "compute.v1.urlMap",
    name: "routes",
    declared: {
      defaultService: "global/backendServices/web",
      hostRules: [{ hosts: ["shop.example.com"], pathMatcher: "shop" }],
      pathMatchers: [
        {
          name: "shop",
          defaultService: "global/backendServices/web",
          routeRules: [
            {
              priority: 1,
              matchRules: [{ prefixMatch: "/api", headerMatches: [{ headerName: "x-beta", exactMatch: "1" }] }],
              service: "global/backendServices/api",
              routeAction: { timeout: { seconds: 30 }, retryPolicy: { numRetries: 2, retryConditions: ["5xx"] } },
            },
          ],
        },
      ],
    },
    forms: {
      "/defaultService": `starts:${link("")}`,
      "/pathMatchers/*/defaultService": `starts:${link("")}`,
      "/pathMatchers/*/routeRules/*/service": `starts:${link("")}`,
      "/pathMatchers/*/routeRules/*/routeAction/timeout/seconds": "text",
    },
    adds: { "/pathMatchers/*/routeRules/*/matchRules/*/ignoreCase": false },
    edit: ["/pathMatchers/0/routeRules/0/routeAction/retryPolicy/numRetries", 3],
  },
  {
    type: "compute.v1.backendService",
    name: "guarded",
    declared: {
      protocol: "HTTPS",
      loadBalancingScheme: "EXTERNAL_MANAGED",
      backends: [{ group: `${zone}/instanceGroups/web`, balancingMode: "UTILIZATION", maxUtilization: 0.8 }],
      healthChecks: ["global/healthChecks/web"],
      iap: { enabled: true, oauth2ClientId: "id", oauth2ClientSecret: "secret-of-iap" },
      cdnPolicy: { cacheMode: "CACHE_ALL_STATIC", negativeCaching: false },
      customRequestHeaders: ["x-region:{client_region}"],
    },
    forms: {
      "/backends/*/group": `starts:${link("")}`,
      "/healthChecks/*": `starts:${link("")}`,
      "/iap/oauth2ClientSecret": "never",
    },
    adds: {
      "/iap/oauth2ClientSecretSha256": "abc",
      "/backends/*/capacityScaler": 1,
      "/cdnPolicy/defaultTtl": 3600,
      "/cdnPolicy/clientTtl": 3600,
      "/connectionDraining": { drainingTimeoutSec: 300 },
      "/timeoutSec": 30,
    },
    edit: ["/backends/0/maxUtilization", 0.6],
  },
  {
    type: "run.v2.service",
    name: "checkout",
    declared: {
      ingress: "INGRESS_TRAFFIC_ALL",
      template: {
        serviceAccount: account,
        scaling: { minInstanceCount: 0, maxInstanceCount: 5 },
        containers: [
          {
            name: "web",
            image: "europe-docker.pkg.dev/project-one/shop/web:1",
            env: [
              { name: "MODE", value: "live" },
              { name: "KEY", valueSource: { secretKeyRef: { secret: "key", version: "latest" } } },
            ],
            ports: [{ containerPort: 8080 }],
            resources: { limits: { cpu: "1", memory: "512Mi" }, cpuIdle: true },
            startupProbe: { httpGet: { path: "/ready" }, failureThreshold: 3 },
            volumeMounts: [{ name: "config", mountPath: "/etc/shop" }],
          },
        ],
        volumes: [{ name: "config", secret: { secret: "config", items: [{ path: "shop.yaml", version: "1" }] } }],
      },
      traffic: [{ type: "TRAFFIC_TARGET_ALLOCATION_TYPE_LATEST", percent: 100 }],
    },
    forms: {
      "/template/containers/*/resources/limits/cpu": "milli",
      "/template/scaling/minInstanceCount": "noEmpty",
      "/template/volumes/*/secret/secret": `starts:${project}/secrets/`,
    },
    adds: {
      "/template/timeout": "300s",
      "/template/maxInstanceRequestConcurrency": 80,
      "/template/containers/*/ports/*/name": "http1",
      "/template/containers/*/startupProbe/timeoutSeconds": 1,
      "/template/containers/*/startupProbe/periodSeconds": 10,
      "/launchStage": "GA",
    },
    edit: ["/template/containers/0/env/0/value", "test"],
  },
  {
    type: "sqladmin.v1.instance",
    name: "orders",
    declared: {
      databaseVersion: "POSTGRES_16",
      region: "europe-west1",
      rootPassword: "P4ssw0rd-of-the-root",
      settings: {
        tier: "db-custom-2-8192",
        dataDiskSizeGb: 100,
        availabilityType: "REGIONAL",
        backupConfiguration: {
          enabled: true,
          startTime: "03:00",
          pointInTimeRecoveryEnabled: false,
          backupRetentionSettings: { retainedBackups: 7, retentionUnit: "COUNT" },
        },
        databaseFlags: [
          { name: "log_min_duration_statement", value: "500" },
          { name: "cloudsql.iam_authentication", value: "on" },
        ],
        ipConfiguration: {
          ipv4Enabled: false,
          privateNetwork: `${project}/global/networks/default`,
          authorizedNetworks: [],
        },
        maintenanceWindow: { day: 7, hour: 3, updateTrack: "stable" },
      },
    },
    forms: {
      "/rootPassword": "never",
      "/settings/dataDiskSizeGb": "text",
      "/settings/backupConfiguration/pointInTimeRecoveryEnabled": "noEmpty",
      "/settings/ipConfiguration/authorizedNetworks": "noEmpty",
      "/settings/ipConfiguration/ipv4Enabled": "noEmpty",
    },
    adds: {
      "/settings/pricingPlan": "PER_USE",
      "/settings/activationPolicy": "ALWAYS",
      "/settings/dataDiskType": "PD_SSD",
      "/settings/backupConfiguration/transactionLogRetentionDays": 7,
      "/settings/ipConfiguration/requireSsl": false,
      "/backendType": "SECOND_GEN",
    },
    edit: ["/settings/databaseFlags/0/value", "250"],
  },
  {
    type: "cloudscheduler.v1.job",
    name: "nightly",
    declared: {
      schedule: "0 3 * * *",
      timeZone: "Europe/Berlin",
      attemptDeadline: "180s",
      retryConfig: { retryCount: 3, minBackoffDuration: "5s" },
      httpTarget: {
        uri: "https://shop.example.com/nightly",
        httpMethod: "POST",
        headers: { "Content-Type": "application/json" },
        body: "eyJydW4iOnRydWV9",
        oidcToken: { serviceAccountEmail: account },
      },
    },
    adds: {
      "/retryConfig/maxRetryDuration": "0s",
      "/retryConfig/maxBackoffDuration": "3600s",
      "/retryConfig/maxDoublings": 5,
      "/httpTarget/oidcToken/audience": "https://shop.example.com/nightly",
      "/httpTarget/headers/User-Agent": "Google-Cloud-Scheduler",
    },
    edit: ["/retryConfig/retryCount", 5],
  },
];
