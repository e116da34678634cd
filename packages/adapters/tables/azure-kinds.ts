/**
 * The Azure types that the tables know, by the package that describes them: those that a live system is most often made of, and the
 * children that can't be written inside their parents without undoing what others do there.
 */
export const azureKinds: Readonly<Record<string, readonly string[]>> = {
  // What holds everything else.
  "@azure/arm-resources": ["Microsoft.Resources/resourceGroups"],
  // Who may do what, and what may not be deleted.
  "@azure/arm-authorization": ["Microsoft.Authorization/roleAssignments"],
  "@azure/arm-msi": [
    "Microsoft.ManagedIdentity/userAssignedIdentities",
    "Microsoft.ManagedIdentity/userAssignedIdentities/federatedIdentityCredentials",
  ],
  "@azure/arm-keyvault": ["Microsoft.KeyVault/vaults", "Microsoft.KeyVault/vaults/secrets"],
  // Files, and what code runs on.
  "@azure/arm-storage": [
    "Microsoft.Storage/storageAccounts",
    "Microsoft.Storage/storageAccounts/blobServices/containers",
  ],
  "@azure/arm-compute": [
    "Microsoft.Compute/virtualMachines",
    "Microsoft.Compute/disks",
    "Microsoft.Compute/virtualMachineScaleSets",
    "Microsoft.Compute/availabilitySets",
  ],
  "@azure/arm-containerservice": [
    "Microsoft.ContainerService/managedClusters",
    "Microsoft.ContainerService/managedClusters/agentPools",
  ],
  "@azure/arm-containerregistry": ["Microsoft.ContainerRegistry/registries"],
  "@azure/arm-containerinstance": ["Microsoft.ContainerInstance/containerGroups"],
  "@azure/arm-appcontainers": [
    "Microsoft.App/containerApps",
    "Microsoft.App/managedEnvironments",
    "Microsoft.App/jobs",
  ],
  "@azure/arm-appservice": [
    "Microsoft.Web/serverfarms",
    "Microsoft.Web/sites",
    "Microsoft.Web/sites/slots",
    "Microsoft.Web/staticSites",
  ],
  // Networks, and the names in them.
  "@azure/arm-network": [
    "Microsoft.Network/virtualNetworks",
    "Microsoft.Network/virtualNetworks/subnets",
    "Microsoft.Network/virtualNetworks/virtualNetworkPeerings",
    "Microsoft.Network/networkSecurityGroups",
    "Microsoft.Network/networkSecurityGroups/securityRules",
    "Microsoft.Network/routeTables",
    "Microsoft.Network/publicIPAddresses",
    "Microsoft.Network/loadBalancers",
    "Microsoft.Network/networkInterfaces",
    "Microsoft.Network/privateEndpoints",
    "Microsoft.Network/natGateways",
    "Microsoft.Network/applicationGateways",
  ],
  "@azure/arm-dns": [
    "Microsoft.Network/dnsZones",
    ...["A", "AAAA", "CAA", "CNAME", "MX", "NS", "PTR", "SRV", "TXT"].map(
      (kind) => `Microsoft.Network/dnsZones/${kind}`,
    ),
  ],
  "@azure/arm-privatedns": [
    "Microsoft.Network/privateDnsZones",
    "Microsoft.Network/privateDnsZones/virtualNetworkLinks",
    ...["A", "AAAA", "CNAME", "MX", "PTR", "SRV", "TXT"].map((kind) => `Microsoft.Network/privateDnsZones/${kind}`),
  ],
  "@azure/arm-cdn": ["Microsoft.Cdn/profiles", "Microsoft.Cdn/profiles/endpoints"],
  // Databases and caches.
  "@azure/arm-sql": [
    "Microsoft.Sql/servers",
    "Microsoft.Sql/servers/databases",
    "Microsoft.Sql/servers/elasticPools",
    "Microsoft.Sql/servers/firewallRules",
  ],
  "@azure/arm-postgresql-flexible": [
    "Microsoft.DBforPostgreSQL/flexibleServers",
    "Microsoft.DBforPostgreSQL/flexibleServers/databases",
    "Microsoft.DBforPostgreSQL/flexibleServers/configurations",
  ],
  "@azure/arm-mysql-flexible": ["Microsoft.DBforMySQL/flexibleServers"],
  "@azure/arm-cosmosdb": ["Microsoft.DocumentDB/databaseAccounts"],
  "@azure/arm-rediscache": ["Microsoft.Cache/redis"],
  // Messages and events.
  "@azure/arm-servicebus": [
    "Microsoft.ServiceBus/namespaces",
    "Microsoft.ServiceBus/namespaces/queues",
    "Microsoft.ServiceBus/namespaces/topics",
    "Microsoft.ServiceBus/namespaces/topics/subscriptions",
    "Microsoft.ServiceBus/namespaces/topics/subscriptions/rules",
  ],
  "@azure/arm-eventhub": ["Microsoft.EventHub/namespaces", "Microsoft.EventHub/namespaces/eventhubs"],
  "@azure/arm-eventgrid": ["Microsoft.EventGrid/topics"],
  "@azure/arm-signalr": ["Microsoft.SignalRService/signalR"],
  // What watches the others.
  "@azure/arm-operationalinsights": ["Microsoft.OperationalInsights/workspaces"],
  "@azure/arm-appinsights": ["Microsoft.Insights/components"],
  "@azure/arm-monitor": [
    "Microsoft.Insights/actionGroups",
    "Microsoft.Insights/diagnosticSettings",
    "Microsoft.Insights/metricAlerts",
  ],
  "@azure/arm-recoveryservices": ["Microsoft.RecoveryServices/vaults"],
  // What applications are put together from.
  "@azure/arm-apimanagement": ["Microsoft.ApiManagement/service"],
  "@azure/arm-search": ["Microsoft.Search/searchServices"],
  "@azure/arm-cognitiveservices": [
    "Microsoft.CognitiveServices/accounts",
    "Microsoft.CognitiveServices/accounts/deployments",
  ],
  "@azure/arm-appconfiguration": ["Microsoft.AppConfiguration/configurationStores"],
  "@azure/arm-datafactory": ["Microsoft.DataFactory/factories"],
  "@azure/arm-logic": ["Microsoft.Logic/workflows"],
  "@azure/arm-automation": ["Microsoft.Automation/automationAccounts"],
};

/** Operations on no type of these: on tags and providers, on many at once, on places. By package, their paths. */
export const azureShared: Readonly<Record<string, readonly string[]>> = {
  "@azure/arm-resources": [
    "/{}/providers/Microsoft.Resources/tags/default",
    "/subscriptions/{}/providers",
    "/subscriptions/{}/providers/{}",
    "/subscriptions/{}/providers/{}/register",
  ],
  "@azure/arm-appservice": ["", "/slots/{}"].flatMap((slot) =>
    ["appsettings", "azurestorageaccounts", "connectionstrings"].map(
      (part) => `/subscriptions/{}/resourceGroups/{}/providers/Microsoft.Web/sites/{}${slot}/config/${part}/list`,
    ),
  ),
  "@azure/arm-resources-subscriptions": ["/subscriptions/{}", "/subscriptions/{}/locations"],
  "@azure/arm-resourcegraph": ["/providers/Microsoft.ResourceGraph/resources"],
  "@azure/arm-monitor": ["/subscriptions/{}/providers/Microsoft.Insights/eventtypes/management/values"],
};

/**
 * Packages whose service refuses a PUT by If-Match although the description names no such header: Microsoft's own cloud provider for
 * Kubernetes binds its writes of load balancers, security groups, route tables, addresses and interfaces so, and counts on being refused
 * with `PreconditionFailedEtagMismatch`. It is one service for all of them.
 */
export const azureBoundBeyond: readonly string[] = ["@azure/arm-network"];
