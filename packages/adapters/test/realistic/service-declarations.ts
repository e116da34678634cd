import type { JsonObject } from "@liveplane/core/clouds";
import { type Declaration, idOf } from "./declarations.ts";

/** DNS records by their kind, in the words of public zones; those of private zones begin in lower case. */
const records: Readonly<Record<string, JsonObject>> = {
  A: { ARecords: [{ ipv4Address: "203.0.113.7" }] },
  AAAA: { AAAARecords: [{ ipv6Address: "2001:db8::7" }] },
  CNAME: { CNAMERecord: { cname: "shop.example.com" } },
  MX: { MXRecords: [{ preference: 10, exchange: "mail.example.com" }] },
  PTR: { PTRRecords: [{ ptrdname: "shop.example.com" }] },
  SRV: { SRVRecords: [{ priority: 1, weight: 5, port: 5060, target: "sip.example.com" }] },
  TXT: { TXTRecords: [{ value: ["v=spf1 -all"] }] },
};
const publicRecords = {
  ...records,
  CAA: { caaRecords: [{ flags: 0, tag: "issue", value: "ca.example.com" }] },
  NS: { NSRecords: [{ nsdname: "ns1.example.com." }] },
};

const uncapitalized = (name: string) => name.replace(/^[A-Z]+?(?=Record)/, (capitals) => capitals.toLowerCase());

/** Parts of zones, topics and vaults, alerts, and the smaller services of Google's. */
export const serviceDeclarations: readonly Declaration[] = [
  ...Object.entries(publicRecords).map(
    ([kind, record]): Declaration => ({
      type: `Microsoft.Network/dnsZones/${kind}`,
      name: "example.com/www",
      declared: { properties: { TTL: 300, ...record } },
      adds: { "/properties/targetResource": {} },
      edit: ["/properties/TTL", 60],
    }),
  ),
  ...Object.entries(records).map(
    ([kind, record]): Declaration => ({
      type: `Microsoft.Network/privateDnsZones/${kind}`,
      name: "shop.internal/www",
      declared: {
        properties: {
          ttl: 300,
          ...Object.fromEntries(Object.entries(record).map(([name, value]) => [uncapitalized(name), value])),
        },
      },
      edit: ["/properties/ttl", 60],
    }),
  ),
  {
    type: "Microsoft.KeyVault/vaults/secrets",
    name: "shop/database",
    declared: {
      tags: { team: "shop" },
      properties: { value: "P4ssw0rd-of-the-shop", contentType: "text/plain", attributes: { enabled: true } },
    },
    forms: { "/properties/value": "never" },
    edit: ["/properties/contentType", "password"],
  },
  {
    type: "Microsoft.ServiceBus/namespaces/topics/subscriptions",
    name: "shop/events/billing",
    declared: { properties: { maxDeliveryCount: 10, lockDuration: "PT30S", deadLetteringOnMessageExpiration: true } },
    adds: {
      "/properties/status": "Active",
      "/properties/defaultMessageTimeToLive": "P10675199DT2H48M5.4775807S",
      "/properties/enableBatchedOperations": true,
    },
    edit: ["/properties/maxDeliveryCount", 5],
  },
  {
    type: "Microsoft.ServiceBus/namespaces/topics/subscriptions/rules",
    name: "shop/events/billing/paid",
    declared: { properties: { filterType: "SqlFilter", sqlFilter: { sqlExpression: "status = 'paid'" } } },
    adds: { "/properties/sqlFilter/compatibilityLevel": 20, "/properties/action": {} },
    edit: ["/properties/sqlFilter/sqlExpression", "status = 'sent'"],
  },
  {
    type: "Microsoft.Insights/metricAlerts",
    declared: {
      location: "global",
      properties: {
        severity: 2,
        enabled: true,
        scopes: [idOf("Microsoft.Web/sites", "shop")],
        evaluationFrequency: "PT1M",
        windowSize: "PT5M",
        criteria: {
          "odata.type": "Microsoft.Azure.Monitor.SingleResourceMultipleMetricCriteria",
          allOf: [
            {
              name: "errors",
              metricName: "Http5xx",
              criterionType: "StaticThresholdCriterion",
              operator: "GreaterThan",
              threshold: 5,
              timeAggregation: "Total",
            },
          ],
        },
        actions: [{ actionGroupId: idOf("Microsoft.Insights/actionGroups", "on-call") }],
      },
    },
    adds: { "/properties/autoMitigate": true, "/properties/targetResourceType": "Microsoft.Web/sites" },
    edit: ["/properties/severity", 1],
  },
  {
    type: "Microsoft.Insights/diagnosticSettings",
    at: `${idOf("Microsoft.KeyVault/vaults", "shop")}/providers/Microsoft.Insights/diagnosticSettings/audit`,
    declared: {
      properties: {
        workspaceId: idOf("Microsoft.OperationalInsights/workspaces", "shop"),
        logs: [{ category: "AuditEvent", enabled: true }],
        metrics: [{ category: "AllMetrics", enabled: false }],
      },
    },
    adds: { "/properties/logs/*/retentionPolicy": { enabled: false, days: 0 } },
    edit: ["/properties/logs/0/enabled", false],
  },
  {
    type: "bigquery.v2.dataset",
    declared: {
      location: "europe-west1",
      description: "Orders of the shop",
      defaultTableExpirationMs: 3_600_000,
      access: [{ role: "OWNER", specialGroup: "projectOwners" }],
    },
    forms: { "/defaultTableExpirationMs": "text" },
    adds: { "/isCaseInsensitive": false, "/maxTimeTravelHours": "168", "/storageBillingModel": "LOGICAL" },
    edit: ["/description", "Orders of the bakery"],
  },
  {
    type: "cloudfunctions.v2.function",
    declared: {
      description: "Resizes images",
      buildConfig: {
        runtime: "nodejs22",
        entryPoint: "resize",
        source: { storageSource: { bucket: "shop-sources", object: "resize.zip" } },
        environmentVariables: {},
      },
      serviceConfig: { availableMemory: "256M", timeoutSeconds: 60, maxInstanceCount: 5 },
    },
    adds: {
      "/environment": "GEN_2",
      "/buildConfig/dockerRegistry": "ARTIFACT_REGISTRY",
      "/serviceConfig/ingressSettings": "ALLOW_ALL",
      "/serviceConfig/allTrafficOnLatestRevision": true,
    },
    edit: ["/serviceConfig/maxInstanceCount", 10],
  },
  {
    type: "cloudscheduler.v1.job",
    declared: {
      schedule: "0 3 * * *",
      timeZone: "Europe/Berlin",
      httpTarget: { uri: "https://shop.example.com/nightly", httpMethod: "POST", headers: { "X-Shop": "nightly" } },
    },
    adds: { "/attemptDeadline": "180s", "/retryConfig": { maxRetryDuration: "0s", minBackoffDuration: "5s" } },
    edit: ["/schedule", "0 4 * * *"],
  },
  {
    type: "dns.v1.managedZone",
    declared: { dnsName: "shop.example.com.", description: "The shop", visibility: "public" },
    adds: {
      "/nameServers": ["ns-cloud-a1.googledomains.com."],
      "/cloudLoggingConfig": { kind: "dns#managedZoneCloudLoggingConfig" },
    },
    edit: ["/description", "The bakery"],
  },
  {
    type: "dns.v1.resourceRecordSet",
    name: "shop/www.shop.example.com./A",
    declared: { ttl: 300, rrdatas: ["203.0.113.7", "203.0.113.8"] },
    adds: { "/signatureRrdatas": [] },
    edit: ["/ttl", 60],
  },
  {
    type: "sqladmin.v1.user",
    name: "shop/orders",
    declared: { password: "P4ssw0rd-of-a-user", type: "BUILT_IN", host: "%" },
    forms: { "/password": "never", "/type": "noEmpty" },
  },
  {
    type: "container.v1.cluster",
    declared: {
      initialNodeCount: 1,
      network: "default",
      releaseChannel: { channel: "REGULAR" },
      workloadIdentityConfig: { workloadPool: "project-one.svc.id.goog" },
      maintenancePolicy: { window: { dailyMaintenanceWindow: { startTime: "03:00" } } },
      shieldedNodes: { enabled: true },
      description: "",
    },
    adds: {
      "/loggingService": "logging.googleapis.com/kubernetes",
      "/monitoringService": "monitoring.googleapis.com/kubernetes",
      "/nodePools": [{ name: "default-pool", initialNodeCount: 1, status: "RUNNING" }],
      "/maintenancePolicy/resourceVersion": "e3b0c442",
      "/maintenancePolicy/window/dailyMaintenanceWindow/duration": "PT4H0M0S",
    },
    edit: ["/releaseChannel/channel", "STABLE"],
  },
  {
    type: "container.v1.nodePool",
    name: "shop/web",
    declared: {
      initialNodeCount: 1,
      config: {
        machineType: "e2-medium",
        diskSizeGb: 50,
        oauthScopes: ["https://www.googleapis.com/auth/cloud-platform"],
      },
      autoscaling: { enabled: true, minNodeCount: 1, maxNodeCount: 3 },
      management: { autoRepair: true, autoUpgrade: true },
    },
    adds: { "/config/imageType": "COS_CONTAINERD", "/version": "1.33.1-gke.1", "/upgradeSettings": { maxSurge: 1 } },
    edit: ["/autoscaling/maxNodeCount", 5],
  },
  {
    type: "pubsub.v1.topicIamBinding",
    name: "holder/roles:pubsub.publisher",
    declared: { members: ["serviceAccount:Web@project-one.iam.gserviceaccount.com", "group:shop@example.com"] },
    forms: { "/members": "sorted", "/members/*": "lower" },
    edit: ["/members", ["group:shop@example.com"]],
  },
  {
    type: "pubsub.v1.topicIamBinding",
    name: "holder/roles:pubsub.viewer@until-may",
    declared: {
      members: ["user:ada@example.com"],
      condition: { title: "until-may", expression: "request.time < timestamp('2027-05-01T00:00:00Z')" },
    },
    edit: ["/condition/expression", "request.time < timestamp('2027-06-01T00:00:00Z')"],
  },
  {
    type: "monitoring.v3.alertPolicy",
    declared: {
      displayName: "The queue is long",
      combiner: "OR",
      conditions: [
        {
          displayName: "Undelivered messages",
          conditionThreshold: {
            filter: 'resource.type = "pubsub_subscription"',
            comparison: "COMPARISON_GT",
            thresholdValue: 1000,
            duration: "300s",
          },
        },
      ],
      alertStrategy: { autoClose: "1800s" },
    },
    adds: { "/enabled": true, "/creationRecord": { mutatedBy: "agent@project-one.iam.gserviceaccount.com" } },
    edit: ["/displayName", "The queue is too long"],
  },
  {
    type: "vpcaccess.v1.connector",
    declared: { network: "default", ipCidrRange: "10.8.0.0/28", minInstances: 2, maxInstances: 3 },
    adds: { "/machineType": "e2-micro", "/minThroughput": 200, "/maxThroughput": 300 },
    edit: ["/maxInstances", 4],
  },
];
