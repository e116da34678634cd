import { type Declaration, idOf, subscription } from "./declarations.ts";

const location = "westeurope";
const net = (kind: string, name: string) => idOf(`Microsoft.Network/${kind}`, name);
const subnet = { id: net("virtualNetworks", "hub/subnets/web") };
const tenantId = "72f988bf-86f1-41af-91ab-2d7cd011db47";
const principalId = "2573a22e-b9d7-4ee7-9187-4a359baac7cd";
const plan = idOf("Microsoft.Web/serverfarms", "plan");
const ubuntu = { publisher: "Canonical", offer: "ubuntu-24_04-lts", sku: "server", version: "latest" };
const sshKey = {
  path: "/home/azureuser/.ssh/authorized_keys",
  keyData: "ssh-rsa AAAAB3NzaC1yc2EAAAADAQABAAABAQ== one",
};
const linux = { disablePasswordAuthentication: true, ssh: { publicKeys: [sshKey] } };

/** As Azure's quickstarts and the samples of its clients declare them, with what its reference says of defaults and of secrets. */
export const azureDeclarations: readonly Declaration[] = [
  {
    type: "Microsoft.ApiManagement/service",
    declared: {
      location,
      sku: { name: "Developer", capacity: 1 },
      properties: { publisherEmail: "api@example.com", publisherName: "Shop", customProperties: {} },
    },
    adds: { "/properties/virtualNetworkType": "None", "/properties/disableGateway": false },
    edit: ["/properties/publisherName", "Bakery"],
  },
  {
    type: "Microsoft.App/containerApps",
    declared: {
      location,
      properties: {
        managedEnvironmentId: idOf("Microsoft.App/managedEnvironments", "env"),
        configuration: {
          ingress: { external: true, targetPort: 80, transport: "auto" },
          secrets: [{ name: "registry", value: "registry-secret" }],
          registries: [{ server: "shop.azurecr.io", username: "shop", passwordSecretRef: "registry" }],
        },
        template: {
          containers: [{ name: "web", image: "shop.azurecr.io/web:1", resources: { cpu: 0.5, memory: "1Gi" } }],
          scale: { minReplicas: 1, maxReplicas: 3 },
        },
      },
    },
    forms: {
      "/properties/configuration/ingress/transport": "title",
      "/properties/configuration/secrets/*/value": "never",
    },
    adds: {
      "/properties/workloadProfileName": "Consumption",
      "/properties/configuration/activeRevisionsMode": "Single",
      "/properties/configuration/ingress/allowInsecure": false,
      "/properties/template/revisionSuffix": "",
      "/properties/template/containers/*/probes": [],
    },
    edit: ["/properties/template/scale/maxReplicas", 5],
  },
  {
    type: "Microsoft.App/jobs",
    declared: {
      location,
      properties: {
        environmentId: idOf("Microsoft.App/managedEnvironments", "env"),
        configuration: {
          triggerType: "Schedule",
          replicaTimeout: 300,
          scheduleTriggerConfig: { cronExpression: "0 4 * * *", parallelism: 1, replicaCompletionCount: 1 },
        },
        template: { containers: [{ name: "job", image: "shop/job:1" }] },
      },
    },
    adds: {
      "/properties/configuration/replicaRetryLimit": 0,
      "/properties/template/containers/*/resources": { cpu: 0.5, memory: "1Gi", ephemeralStorage: "2Gi" },
    },
    edit: ["/properties/configuration/scheduleTriggerConfig/cronExpression", "0 5 * * *"],
  },
  {
    type: "Microsoft.App/managedEnvironments",
    declared: {
      location,
      properties: {
        zoneRedundant: false,
        appLogsConfiguration: {
          destination: "log-analytics",
          logAnalyticsConfiguration: { customerId: tenantId, sharedKey: "shared-key" },
        },
      },
    },
    forms: { "/properties/appLogsConfiguration/logAnalyticsConfiguration/sharedKey": "never" },
    adds: { "/properties/workloadProfiles": [{ name: "Consumption", workloadProfileType: "Consumption" }] },
    edit: ["/properties/appLogsConfiguration/destination", "azure-monitor"],
  },
  {
    type: "Microsoft.AppConfiguration/configurationStores",
    declared: { location, sku: { name: "Standard" }, properties: { disableLocalAuth: true } },
    forms: { "/sku/name": "lower" },
    adds: { "/properties/publicNetworkAccess": "Enabled", "/properties/enablePurgeProtection": false },
    edit: ["/properties/disableLocalAuth", false],
  },
  {
    type: "Microsoft.Authorization/roleAssignments",
    name: "b8f8e9ab-8b0d-4a3d-b9a5-9c0a0c0d0e0f",
    declared: {
      properties: {
        roleDefinitionId: "/providers/Microsoft.Authorization/roleDefinitions/acdd72a7-3385-48ef-bd42-f606fba81ae7",
        principalId,
        principalType: "ServicePrincipal",
      },
    },
    forms: { "/properties/roleDefinitionId": `starts:/subscriptions/${subscription}` },
    adds: { "/properties/condition": null },
  },
  {
    type: "Microsoft.Automation/automationAccounts",
    declared: { location, properties: { sku: { name: "Basic" } } },
    adds: { "/properties/sku/capacity": null },
    edit: ["/properties/sku/name", "Free"],
  },
  {
    type: "Microsoft.Cache/redis",
    declared: {
      location,
      properties: {
        sku: { name: "Basic", family: "C", capacity: 1 },
        redisVersion: "6",
        minimumTlsVersion: "1.2",
        redisConfiguration: {},
      },
    },
    forms: { "/properties/redisVersion": "ends:.0" },
    adds: {
      "/properties/enableNonSslPort": false,
      "/properties/redisConfiguration/maxclients": "256",
      "/properties/redisConfiguration/maxmemory-reserved": "30",
    },
    edit: ["/properties/minimumTlsVersion", "1.0"],
  },
  {
    type: "Microsoft.Cache/redis",
    declared: {
      location,
      properties: {
        sku: { name: "Premium", family: "P", capacity: 1 },
        shardCount: 2,
        enableNonSslPort: false,
        redisConfiguration: { "maxmemory-policy": "allkeys-lru", "rdb-backup-enabled": "true" },
      },
    },
    adds: { "/properties/redisVersion": "6.0", "/properties/redisConfiguration/maxclients": "7500" },
    edit: ["/properties/redisConfiguration/maxmemory-policy", "noeviction"],
  },
  {
    type: "Microsoft.Cdn/profiles",
    declared: {
      location: "global",
      sku: { name: "Standard_AzureFrontDoor" },
      properties: { originResponseTimeoutSeconds: 60 },
    },
    forms: { "/location": "title" },
    edit: ["/properties/originResponseTimeoutSeconds", 120],
  },
  {
    type: "Microsoft.Cdn/profiles/endpoints",
    name: "shop/web",
    declared: {
      location,
      properties: {
        isHttpAllowed: false,
        queryStringCachingBehavior: "IgnoreQueryString",
        contentTypesToCompress: ["text/html", "application/json"],
        origins: [{ name: "origin", properties: { hostName: "shop.example.com" } }],
      },
    },
    adds: { "/properties/isHttpsAllowed": true, "/properties/origins/*/properties/httpPort": 80 },
    edit: ["/properties/isHttpAllowed", true],
  },
  {
    type: "Microsoft.CognitiveServices/accounts",
    declared: {
      location,
      kind: "OpenAI",
      sku: { name: "S0" },
      properties: { customSubDomainName: "shop", networkAcls: { defaultAction: "Deny" } },
    },
    adds: { "/properties/networkAcls/ipRules": [], "/properties/publicNetworkAccess": "Enabled" },
    edit: ["/properties/networkAcls/defaultAction", "Allow"],
  },
  {
    type: "Microsoft.CognitiveServices/accounts/deployments",
    name: "shop/gpt",
    declared: {
      sku: { name: "Standard", capacity: 10 },
      properties: { model: { format: "OpenAI", name: "gpt-4o", version: "2024-08-06" } },
    },
    adds: { "/properties/versionUpgradeOption": "OnceNewDefaultVersionAvailable" },
    edit: ["/sku/capacity", 20],
  },
  {
    type: "Microsoft.Compute/availabilitySets",
    declared: {
      location,
      sku: { name: "Aligned" },
      properties: { platformFaultDomainCount: 2, platformUpdateDomainCount: 5 },
    },
    adds: { "/properties/virtualMachines": [] },
    edit: ["/properties/platformUpdateDomainCount", 10],
  },
  {
    type: "Microsoft.Compute/disks",
    declared: {
      location,
      zones: ["1"],
      sku: { name: "Premium_LRS" },
      properties: { creationData: { createOption: "empty" }, diskSizeGB: 128 },
    },
    forms: { "/properties/creationData/createOption": "title" },
    adds: {
      "/properties/encryption": { type: "EncryptionAtRestWithPlatformKey" },
      "/properties/networkAccessPolicy": "AllowAll",
    },
    edit: ["/properties/diskSizeGB", 256],
  },
  {
    type: "Microsoft.Compute/virtualMachines",
    declared: {
      location,
      properties: {
        hardwareProfile: { vmSize: "Standard_D2s_v5" },
        osProfile: { computerName: "one", adminUsername: "azureuser", linuxConfiguration: linux },
        storageProfile: {
          imageReference: ubuntu,
          osDisk: {
            createOption: "fromImage",
            caching: "ReadWrite",
            managedDisk: { storageAccountType: "Premium_LRS" },
          },
        },
        networkProfile: { networkInterfaces: [{ id: net("networkInterfaces", "one"), properties: { primary: true } }] },
        availabilitySet: { id: idOf("Microsoft.Compute/availabilitySets", "set") },
      },
    },
    forms: {
      "/properties/storageProfile/osDisk/createOption": "title",
      "/properties/availabilitySet/id": `as:${idOf("Microsoft.Compute/availabilitySets", "SET")}`,
    },
    adds: {
      "/properties/osProfile/secrets": [],
      "/properties/osProfile/allowExtensionOperations": true,
      "/properties/osProfile/linuxConfiguration/provisionVMAgent": true,
      "/properties/storageProfile/dataDisks": [],
      "/properties/storageProfile/osDisk/osType": "Linux",
      "/properties/storageProfile/osDisk/diskSizeGB": 30,
      "/properties/storageProfile/osDisk/managedDisk/id": idOf("Microsoft.Compute/disks", "one_OsDisk"),
    },
    edit: ["/properties/hardwareProfile/vmSize", "Standard_D4s_v5"],
  },
  {
    type: "Microsoft.Compute/virtualMachines",
    declared: {
      location,
      identity: { type: "SystemAssigned" },
      properties: {
        hardwareProfile: { vmSize: "Standard_B2ms" },
        osProfile: {
          computerName: "win",
          adminUsername: "shopadmin",
          adminPassword: "P4ssw0rd-of-the-machine",
          customData: "I2Nsb3VkLWNvbmZpZw==",
          windowsConfiguration: { enableAutomaticUpdates: true },
        },
        storageProfile: {
          imageReference: {
            publisher: "MicrosoftWindowsServer",
            offer: "WindowsServer",
            sku: "2022-datacenter",
            version: "latest",
          },
          dataDisks: [{ lun: 0, createOption: "attach", managedDisk: { id: idOf("Microsoft.Compute/disks", "data") } }],
        },
        networkProfile: { networkInterfaces: [{ id: net("networkInterfaces", "win") }] },
        diagnosticsProfile: { bootDiagnostics: { enabled: true } },
      },
    },
    forms: {
      "/properties/storageProfile/dataDisks/*/createOption": "title",
      "/properties/osProfile/customData": "never",
    },
    adds: {
      "/properties/storageProfile/dataDisks/*/caching": "None",
      "/properties/storageProfile/dataDisks/*/toBeDetached": false,
    },
    edit: ["/properties/diagnosticsProfile/bootDiagnostics/enabled", false],
  },
  {
    type: "Microsoft.Compute/virtualMachineScaleSets",
    declared: {
      location,
      sku: { name: "Standard_D2s_v5", tier: "Standard", capacity: 2 },
      properties: {
        upgradePolicy: { mode: "Manual" },
        overprovision: false,
        virtualMachineProfile: {
          osProfile: { computerNamePrefix: "web", adminUsername: "azureuser", adminPassword: "P4ssw0rd-of-the-set" },
          storageProfile: {
            imageReference: ubuntu,
            osDisk: { createOption: "FromImage", caching: "ReadWrite" },
            dataDisks: [{ lun: 0, createOption: "empty", diskSizeGB: 64 }],
          },
          networkProfile: {
            networkInterfaceConfigurations: [
              {
                name: "nic",
                properties: {
                  primary: true,
                  ipConfigurations: [
                    {
                      name: "ip",
                      properties: { subnet, loadBalancerInboundNatPools: [], loadBalancerBackendAddressPools: [] },
                    },
                  ],
                },
              },
            ],
          },
          extensionProfile: {
            extensions: [
              {
                name: "install",
                properties: {
                  publisher: "Microsoft.Azure.Extensions",
                  type: "CustomScript",
                  typeHandlerVersion: "2.1",
                  settings: { fileUris: ["https://shop.example.com/install.sh"] },
                  protectedSettings: { commandToExecute: "sh install.sh" },
                },
              },
            ],
          },
        },
      },
    },
    forms: {
      "/properties/virtualMachineProfile/storageProfile/dataDisks/*/createOption": "title",
      "/properties/virtualMachineProfile/networkProfile/networkInterfaceConfigurations/*/properties/ipConfigurations/*/properties/loadBalancerInboundNatPools":
        "noEmpty",
      "/properties/virtualMachineProfile/networkProfile/networkInterfaceConfigurations/*/properties/ipConfigurations/*/properties/loadBalancerBackendAddressPools":
        "noEmpty",
      "/properties/virtualMachineProfile/extensionProfile/extensions/*/properties/protectedSettings": "never",
    },
    adds: {
      "/properties/singlePlacementGroup": true,
      "/properties/virtualMachineProfile/osProfile/secrets": [],
      "/properties/virtualMachineProfile/networkProfile/networkInterfaceConfigurations/*/properties/enableIPForwarding": false,
      "/properties/virtualMachineProfile/networkProfile/networkInterfaceConfigurations/*/properties/ipConfigurations/*/properties/privateIPAddressVersion":
        "IPv4",
      "/properties/virtualMachineProfile/extensionProfile/extensions/*/properties/autoUpgradeMinorVersion": false,
    },
    edit: ["/sku/capacity", 3],
  },
  {
    type: "Microsoft.ContainerInstance/containerGroups",
    declared: {
      location,
      properties: {
        osType: "Linux",
        restartPolicy: "never",
        containers: [
          {
            name: "web",
            properties: {
              image: "nginx",
              ports: [{ port: 80, protocol: "TCP" }],
              environmentVariables: [
                { name: "MODE", value: "live" },
                { name: "TOKEN", secureValue: "token-of-the-web" },
              ],
              resources: { requests: { cpu: 1, memoryInGB: 1.5 } },
            },
          },
        ],
        ipAddress: { type: "Public", ports: [{ port: 80, protocol: "TCP" }] },
        volumes: [{ name: "scratch", emptyDir: {} }],
      },
    },
    forms: {
      "/properties/restartPolicy": "title",
      "/properties/containers/*/properties/environmentVariables/*/secureValue": "never",
    },
    adds: { "/properties/sku": "Standard", "/properties/initContainers": [] },
  },
  {
    type: "Microsoft.ContainerRegistry/registries",
    declared: {
      location,
      sku: { name: "Premium" },
      properties: { adminUserEnabled: false, networkRuleSet: { defaultAction: "Deny", ipRules: [] } },
    },
    adds: {
      "/properties/publicNetworkAccess": "Enabled",
      "/properties/networkRuleBypassOptions": "AzureServices",
      "/properties/policies": { retentionPolicy: { days: 7, status: "disabled" } },
    },
    edit: ["/properties/adminUserEnabled", true],
  },
  {
    type: "Microsoft.ContainerService/managedClusters",
    declared: {
      location,
      sku: { name: "Base", tier: "Standard" },
      identity: { type: "SystemAssigned" },
      properties: {
        kubernetesVersion: "1.33",
        dnsPrefix: "shop",
        enableRBAC: true,
        agentPoolProfiles: [
          {
            name: "system",
            mode: "System",
            count: 3,
            vmSize: "Standard_D4s_v5",
            osType: "Linux",
            vnetSubnetID: subnet.id,
            nodeTaints: [],
            nodeLabels: {},
            availabilityZones: ["1", "2", "3"],
          },
        ],
        networkProfile: { networkPlugin: "azure", serviceCidr: "10.2.0.0/16", dnsServiceIP: "10.2.0.10" },
        addonProfiles: { azurepolicy: { enabled: false } },
        oidcIssuerProfile: { enabled: true },
      },
    },
    forms: {
      "/properties/kubernetesVersion": "ends:.4",
      "/properties/agentPoolProfiles/*/nodeTaints": "noEmpty",
      "/properties/agentPoolProfiles/*/nodeLabels": "noEmpty",
    },
    adds: {
      "/properties/supportPlan": "KubernetesOfficial",
      "/properties/networkProfile/loadBalancerSku": "standard",
      "/properties/networkProfile/outboundType": "loadBalancer",
      "/properties/agentPoolProfiles/*/osDiskSizeGB": 128,
      "/properties/agentPoolProfiles/*/osSKU": "Ubuntu",
      "/properties/agentPoolProfiles/*/maxPods": 30,
      "/properties/agentPoolProfiles/*/orchestratorVersion": "1.33",
    },
    edit: ["/properties/agentPoolProfiles/0/count", 5],
  },
  {
    type: "Microsoft.ContainerService/managedClusters",
    declared: {
      location,
      identity: { type: "SystemAssigned" },
      properties: {
        dnsPrefix: "small",
        disableLocalAccounts: false,
        agentPoolProfiles: [
          { name: "nodes", mode: "System", count: 1, vmSize: "Standard_B2s", enableAutoScaling: false },
        ],
        linuxProfile: { adminUsername: "azureuser", ssh: { publicKeys: [{ keyData: sshKey.keyData }] } },
        autoUpgradeProfile: { upgradeChannel: "stable" },
        windowsProfile: { adminUsername: "winuser", adminPassword: "P4ssw0rd-of-windows" },
      },
    },
    forms: { "/properties/agentPoolProfiles/*/enableAutoScaling": "noEmpty" },
    adds: {
      "/properties/kubernetesVersion": "1.33",
      "/properties/enableRBAC": true,
      "/sku": { name: "Base", tier: "Free" },
    },
    edit: ["/properties/autoUpgradeProfile/upgradeChannel", "patch"],
  },
  {
    type: "Microsoft.ContainerService/managedClusters/agentPools",
    name: "shop/spot",
    declared: {
      properties: {
        count: 1,
        vmSize: "Standard_D2s_v5",
        mode: "User",
        scaleSetPriority: "Spot",
        spotMaxPrice: -1,
        nodeTaints: ["kubernetes.azure.com/scalesetpriority=spot:NoSchedule"],
        orchestratorVersion: "1.33.4",
      },
    },
    forms: {},
    adds: {
      "/properties/osDiskSizeGB": 128,
      "/properties/osType": "Linux",
      "/properties/scaleSetEvictionPolicy": "Delete",
    },
    edit: ["/properties/count", 2],
  },
  {
    type: "Microsoft.DBforMySQL/flexibleServers",
    declared: {
      location,
      sku: { name: "Standard_B1ms", tier: "Burstable" },
      properties: {
        administratorLogin: "shop",
        administratorLoginPassword: "P4ssw0rd-of-mysql",
        version: "8.0.21",
        storage: { storageSizeGB: 20, autoGrow: "Enabled" },
        backup: { backupRetentionDays: 7, geoRedundantBackup: "Disabled" },
      },
    },
    adds: {
      "/properties/storage/iops": 360,
      "/properties/highAvailability": { mode: "Disabled" },
      "/properties/replicationRole": "None",
    },
    edit: ["/properties/backup/backupRetentionDays", 14],
  },
  {
    type: "Microsoft.DBforPostgreSQL/flexibleServers",
    declared: {
      location,
      sku: { name: "Standard_D2ds_v5", tier: "GeneralPurpose" },
      properties: {
        createMode: "Create",
        administratorLogin: "shop",
        administratorLoginPassword: "P4ssw0rd-of-postgres",
        version: "17",
        storage: { storageSizeGB: 128, autoGrow: "Disabled" },
        backup: { backupRetentionDays: 7 },
        highAvailability: { mode: "Disabled" },
      },
    },
    forms: { "/properties/createMode": "never" },
    adds: {
      "/properties/storage/tier": "P10",
      "/properties/storage/iops": 500,
      "/properties/backup/geoRedundantBackup": "Disabled",
      "/properties/authConfig": { activeDirectoryAuth: "Disabled", passwordAuth: "Enabled" },
    },
    edit: ["/properties/backup/backupRetentionDays", 14],
  },
  {
    type: "Microsoft.DBforPostgreSQL/flexibleServers/configurations",
    name: "shop/max_connections",
    declared: { properties: { value: "200", source: "user-override" } },
    adds: {},
    edit: ["/properties/value", "300"],
  },
  {
    type: "Microsoft.DBforPostgreSQL/flexibleServers/databases",
    name: "shop/orders",
    declared: { properties: { charset: "utf8", collation: "en_US.utf8" } },
    forms: { "/properties/charset": "upper" },
  },
  {
    type: "Microsoft.DataFactory/factories",
    declared: { location, identity: { type: "SystemAssigned" }, properties: { publicNetworkAccess: "Enabled" } },
    edit: ["/properties/publicNetworkAccess", "Disabled"],
  },
  {
    type: "Microsoft.DocumentDB/databaseAccounts",
    declared: {
      location,
      kind: "GlobalDocumentDB",
      properties: {
        databaseAccountOfferType: "Standard",
        locations: [{ locationName: "westeurope", failoverPriority: 0, isZoneRedundant: false }],
        consistencyPolicy: { defaultConsistencyLevel: "Session" },
        capabilities: [{ name: "EnableServerless" }],
        ipRules: [],
      },
    },
    forms: { "/properties/locations/*/locationName": "as:West Europe" },
    adds: {
      "/properties/locations/*/id": "app-westeurope",
      "/properties/consistencyPolicy/maxIntervalInSeconds": 5,
      "/properties/consistencyPolicy/maxStalenessPrefix": 100,
      "/properties/enableAutomaticFailover": false,
    },
    edit: ["/properties/consistencyPolicy/defaultConsistencyLevel", "Strong"],
  },
  {
    type: "Microsoft.EventGrid/topics",
    declared: {
      location,
      properties: {
        inputSchema: "CloudEventSchemaV1_0",
        publicNetworkAccess: "Enabled",
        inboundIpRules: [{ ipMask: "12.18.30.15", action: "Allow" }],
      },
    },
    adds: { "/properties/disableLocalAuth": false, "/properties/dataResidencyBoundary": "WithinGeopair" },
    edit: ["/properties/publicNetworkAccess", "Disabled"],
  },
  {
    type: "Microsoft.EventHub/namespaces",
    declared: {
      location,
      sku: { name: "Standard", tier: "Standard", capacity: 1 },
      properties: { isAutoInflateEnabled: true, maximumThroughputUnits: 10 },
    },
    adds: { "/properties/minimumTlsVersion": "1.2", "/properties/kafkaEnabled": true },
    edit: ["/properties/maximumThroughputUnits", 20],
  },
  {
    type: "Microsoft.EventHub/namespaces/eventhubs",
    name: "shop/orders",
    declared: { properties: { partitionCount: 4, messageRetentionInDays: 3 } },
    adds: { "/properties/retentionDescription": { cleanupPolicy: "Delete", retentionTimeInHours: 72 } },
    edit: ["/properties/messageRetentionInDays", 5],
  },
  {
    type: "Microsoft.Insights/actionGroups",
    declared: {
      location: "global",
      properties: {
        groupShortName: "shop",
        enabled: true,
        emailReceivers: [{ name: "oncall", emailAddress: "oncall@example.com", useCommonAlertSchema: true }],
        webhookReceivers: [{ name: "chat", serviceUri: "https://chat.example.com/hook" }],
      },
    },
    forms: { "/location": "title" },
    adds: {
      "/properties/emailReceivers/*/status": "Enabled",
      "/properties/webhookReceivers/*/useAadAuth": false,
      "/properties/webhookReceivers/*/useCommonAlertSchema": false,
      "/properties/smsReceivers": [],
    },
    edit: ["/properties/enabled", false],
  },
  {
    type: "Microsoft.Insights/components",
    declared: {
      location,
      kind: "web",
      properties: {
        Application_Type: "web",
        WorkspaceResourceId: idOf("Microsoft.OperationalInsights/workspaces", "logs"),
        RetentionInDays: 90,
      },
    },
    adds: { "/properties/IngestionMode": "LogAnalytics", "/properties/publicNetworkAccessForIngestion": "Enabled" },
    edit: ["/properties/RetentionInDays", 30],
  },
  {
    type: "Microsoft.KeyVault/vaults",
    declared: {
      location,
      properties: {
        tenantId,
        sku: { family: "A", name: "standard" },
        enableRbacAuthorization: false,
        accessPolicies: [
          { tenantId, objectId: principalId, permissions: { keys: ["get", "list"], secrets: ["set", "get"] } },
        ],
        networkAcls: { bypass: "AzureServices", defaultAction: "Deny", ipRules: [{ value: "203.0.113.7" }] },
      },
    },
    forms: { "/properties/networkAcls/ipRules/*/value": "ends:/32" },
    adds: {
      "/properties/enabledForDeployment": false,
      "/properties/enableSoftDelete": true,
      "/properties/softDeleteRetentionInDays": 90,
      "/properties/networkAcls/virtualNetworkRules": [],
      "/properties/accessPolicies/*/permissions/certificates": [],
    },
    edit: ["/properties/networkAcls/defaultAction", "Allow"],
  },
  {
    type: "Microsoft.KeyVault/vaults",
    declared: {
      location,
      properties: {
        tenantId,
        sku: { family: "A", name: "premium" },
        enableRbacAuthorization: true,
        enablePurgeProtection: true,
      },
    },
    adds: {
      "/properties/accessPolicies": [],
      "/properties/publicNetworkAccess": "Enabled",
      "/properties/enableSoftDelete": true,
    },
    edit: ["/properties/enableRbacAuthorization", false],
  },
  {
    type: "Microsoft.Logic/workflows",
    declared: {
      location,
      properties: {
        state: "Enabled",
        definition: {
          $schema:
            "https://schema.management.azure.com/providers/Microsoft.Logic/schemas/2016-06-01/workflowdefinition.json#",
          contentVersion: "1.0.0.0",
          triggers: { hourly: { type: "Recurrence", recurrence: { frequency: "Hour", interval: 1 } } },
          actions: {},
        },
        parameters: {},
      },
    },
    forms: { "/properties/parameters": "noEmpty" },
    edit: ["/properties/state", "Disabled"],
  },
  {
    type: "Microsoft.ManagedIdentity/userAssignedIdentities",
    declared: { location },
  },
  {
    type: "Microsoft.ManagedIdentity/userAssignedIdentities/federatedIdentityCredentials",
    name: "shop/pipeline",
    declared: {
      properties: {
        issuer: "https://token.actions.githubusercontent.com",
        subject: "repo:shop/web:ref:refs/heads/main",
        audiences: ["api://AzureADTokenExchange"],
      },
    },
    edit: ["/properties/subject", "repo:shop/web:environment:live"],
  },
  {
    type: "Microsoft.Network/applicationGateways",
    declared: {
      location,
      properties: {
        sku: { name: "Standard_v2", tier: "Standard_v2", capacity: 1 },
        gatewayIPConfigurations: [{ name: "ip", properties: { subnet } }],
        frontendIPConfigurations: [
          { name: "front", properties: { publicIPAddress: { id: net("publicIPAddresses", "one") } } },
        ],
        frontendPorts: [{ name: "https", properties: { port: 443 } }],
        sslCertificates: [
          { name: "shop", properties: { data: "MIIKYwIBAzCC", password: "P4ssw0rd-of-the-certificate" } },
        ],
        backendAddressPools: [
          { name: "web", properties: { backendAddresses: [{ ipAddress: "10.0.1.4" }, { fqdn: "web.example.com" }] } },
        ],
        backendHttpSettingsCollection: [
          { name: "http", properties: { port: 80, protocol: "Http", cookieBasedAffinity: "Disabled" } },
        ],
      },
    },
    forms: { "/properties/sslCertificates/*/properties/data": "never" },
    adds: {
      "/properties/backendHttpSettingsCollection/*/properties/requestTimeout": 30,
      "/properties/backendHttpSettingsCollection/*/properties/pickHostNameFromBackendAddress": false,
      "/properties/frontendIPConfigurations/*/properties/privateIPAllocationMethod": "Dynamic",
      "/properties/urlPathMaps": [],
    },
    edit: ["/properties/sku/capacity", 2],
  },
  {
    type: "Microsoft.Network/dnsZones",
    name: "shop.example.com",
    declared: { location: "global", properties: { zoneType: "Public" } },
  },
  {
    type: "Microsoft.Network/loadBalancers",
    declared: {
      location,
      sku: { name: "Standard" },
      properties: {
        frontendIPConfigurations: [
          { name: "front", properties: { publicIPAddress: { id: net("publicIPAddresses", "one") } } },
        ],
        backendAddressPools: [{ name: "web" }],
        probes: [
          {
            name: "http",
            properties: { protocol: "Http", port: 80, requestPath: "/", intervalInSeconds: 15, numberOfProbes: 2 },
          },
        ],
        loadBalancingRules: [
          {
            name: "http",
            properties: {
              frontendIPConfiguration: { id: net("loadBalancers", "app/frontendIPConfigurations/front") },
              backendAddressPool: { id: net("loadBalancers", "app/backendAddressPools/web") },
              probe: { id: net("loadBalancers", "app/probes/http") },
              protocol: "tcp",
              frontendPort: 80,
              backendPort: 80,
            },
          },
        ],
        inboundNatRules: [],
      },
    },
    forms: { "/properties/loadBalancingRules/*/properties/protocol": "title" },
    adds: {
      "/sku/tier": "Regional",
      "/properties/loadBalancingRules/*/properties/idleTimeoutInMinutes": 4,
      "/properties/loadBalancingRules/*/properties/enableFloatingIP": false,
      "/properties/loadBalancingRules/*/properties/loadDistribution": "Default",
      "/properties/backendAddressPools/*/properties": { loadBalancerBackendAddresses: [] },
      "/properties/outboundRules": [],
    },
    edit: ["/properties/loadBalancingRules/0/properties/frontendPort", 8080],
  },
  {
    type: "Microsoft.Network/natGateways",
    declared: {
      location,
      sku: { name: "Standard" },
      properties: { publicIpAddresses: [{ id: net("publicIPAddresses", "one") }], idleTimeoutInMinutes: 10 },
    },
    edit: ["/properties/idleTimeoutInMinutes", 30],
  },
  {
    type: "Microsoft.Network/networkInterfaces",
    declared: {
      location,
      properties: {
        ipConfigurations: [
          { name: "primary", properties: { subnet, privateIPAllocationMethod: "Dynamic", primary: true } },
        ],
        dnsSettings: {},
        enableIPForwarding: false,
      },
    },
    adds: {
      "/properties/dnsSettings/dnsServers": [],
      "/properties/enableAcceleratedNetworking": false,
      "/properties/ipConfigurations/*/properties/privateIPAddressVersion": "IPv4",
      "/properties/ipConfigurations/*/properties/privateIPAddress": "10.0.0.4",
    },
    edit: ["/properties/enableIPForwarding", true],
  },
  {
    type: "Microsoft.Network/networkSecurityGroups",
    declared: {
      location,
      properties: {
        securityRules: [
          {
            name: "https",
            properties: {
              protocol: "TCP",
              sourceAddressPrefix: "internet",
              sourcePortRange: "*",
              destinationAddressPrefix: "*",
              destinationPortRange: "443",
              access: "Allow",
              priority: 100,
              direction: "Inbound",
            },
          },
          {
            name: "ssh",
            properties: {
              protocol: "Tcp",
              sourceAddressPrefixes: ["203.0.113.0/24", "198.51.100.0/24"],
              sourcePortRange: "*",
              destinationAddressPrefix: "*",
              destinationPortRanges: ["22", "2222"],
              access: "Allow",
              priority: 110,
              direction: "Inbound",
            },
          },
        ],
      },
    },
    forms: {
      "/properties/securityRules/0/properties/protocol": "as:Tcp",
      "/properties/securityRules/0/properties/sourceAddressPrefix": "title",
      "/properties/securityRules/*/properties/sourceAddressPrefixes": "sorted",
    },
    adds: {
      "/properties/securityRules/*/properties/sourceAddressPrefixes": [],
      "/properties/securityRules/*/properties/destinationPortRanges": [],
      "/properties/flushConnection": false,
    },
    edit: ["/properties/securityRules/0/properties/access", "Deny"],
  },
  {
    type: "Microsoft.Network/networkSecurityGroups/securityRules",
    name: "shop/https",
    declared: {
      properties: {
        protocol: "tcp",
        sourceAddressPrefix: "*",
        sourcePortRange: "*",
        destinationAddressPrefix: "*",
        destinationPortRange: "443",
        access: "allow",
        priority: 200,
        direction: "inbound",
      },
    },
    forms: { "/properties/protocol": "title", "/properties/access": "title", "/properties/direction": "title" },
    adds: { "/properties/sourcePortRanges": [], "/properties/destinationAddressPrefixes": [] },
    edit: ["/properties/priority", 300],
  },
  {
    type: "Microsoft.Network/privateDnsZones",
    name: "shop.internal",
    declared: { location: "global" },
  },
  {
    type: "Microsoft.Network/privateDnsZones/virtualNetworkLinks",
    name: "shop.internal/hub",
    declared: {
      location: "global",
      properties: { virtualNetwork: { id: net("virtualNetworks", "hub") }, registrationEnabled: false },
    },
    adds: { "/properties/resolutionPolicy": "Default" },
    edit: ["/properties/registrationEnabled", true],
  },
  {
    type: "Microsoft.Network/privateEndpoints",
    declared: {
      location,
      properties: {
        subnet,
        privateLinkServiceConnections: [
          {
            name: "sql",
            properties: { privateLinkServiceId: idOf("Microsoft.Sql/servers", "shop"), groupIds: ["sqlServer"] },
          },
        ],
      },
    },
    adds: {
      "/properties/privateLinkServiceConnections/*/properties/privateLinkServiceConnectionState": {
        status: "Approved",
        description: "",
        actionsRequired: "None",
      },
      "/properties/manualPrivateLinkServiceConnections": [],
      "/properties/customNetworkInterfaceName": "",
    },
  },
  {
    type: "Microsoft.Network/publicIPAddresses",
    declared: {
      location,
      sku: { name: "Standard" },
      zones: ["3", "1", "2"],
      properties: { publicIPAllocationMethod: "Static", dnsSettings: { domainNameLabel: "shop" } },
    },
    forms: { "/zones": "sorted" },
    adds: {
      "/sku/tier": "Regional",
      "/properties/idleTimeoutInMinutes": 4,
      "/properties/publicIPAddressVersion": "IPv4",
      "/properties/ipTags": [],
    },
    edit: ["/properties/dnsSettings/domainNameLabel", "bakery"],
  },
  {
    type: "Microsoft.Network/routeTables",
    declared: {
      location,
      properties: {
        disableBgpRoutePropagation: false,
        routes: [
          {
            name: "out",
            properties: { addressPrefix: "0.0.0.0/0", nextHopType: "VirtualAppliance", nextHopIpAddress: "10.0.0.4" },
          },
        ],
      },
    },
    adds: { "/properties/routes/*/properties/hasBgpOverride": false },
    edit: ["/properties/routes/0/properties/nextHopIpAddress", "10.0.0.5"],
  },
  {
    type: "Microsoft.Network/virtualNetworks",
    declared: {
      location,
      properties: {
        addressSpace: { addressPrefixes: ["10.1.0.0/16", "10.0.0.0/16"] },
        dhcpOptions: { dnsServers: [] },
        subnets: [
          {
            name: "web",
            properties: { addressPrefix: "10.0.0.0/24", serviceEndpoints: [{ service: "Microsoft.Storage" }] },
          },
          {
            name: "data",
            properties: {
              addressPrefix: "10.0.1.0/24",
              networkSecurityGroup: { id: net("networkSecurityGroups", "data") },
            },
          },
        ],
        enableDdosProtection: false,
      },
    },
    forms: { "/properties/addressSpace/addressPrefixes": "sorted", "/properties/subnets": "sortedBy:name" },
    adds: {
      "/properties/subnets/*/properties/delegations": [],
      "/properties/subnets/*/properties/privateEndpointNetworkPolicies": "Disabled",
      "/properties/subnets/*/properties/serviceEndpoints/*/locations": ["westeurope", "northeurope"],
      "/properties/virtualNetworkPeerings": [],
    },
    edit: ["/properties/enableDdosProtection", true],
  },
  {
    type: "Microsoft.Network/virtualNetworks/subnets",
    name: "hub/apps",
    declared: {
      properties: {
        addressPrefix: "10.0.2.0/23",
        delegations: [{ name: "apps", properties: { serviceName: "Microsoft.App/environments" } }],
        privateEndpointNetworkPolicies: "Disabled",
      },
    },
    adds: { "/properties/privateLinkServiceNetworkPolicies": "Enabled", "/properties/serviceEndpoints": [] },
    edit: ["/properties/privateEndpointNetworkPolicies", "Enabled"],
  },
  {
    type: "Microsoft.Network/virtualNetworks/virtualNetworkPeerings",
    name: "hub/spoke",
    declared: {
      properties: {
        remoteVirtualNetwork: { id: net("virtualNetworks", "spoke") },
        allowForwardedTraffic: true,
        allowGatewayTransit: false,
      },
    },
    adds: { "/properties/allowVirtualNetworkAccess": true, "/properties/useRemoteGateways": false },
    edit: ["/properties/allowForwardedTraffic", false],
  },
  {
    type: "Microsoft.OperationalInsights/workspaces",
    declared: {
      location,
      properties: { sku: { name: "PerGB2018" }, retentionInDays: 30, workspaceCapping: { dailyQuotaGb: -1 } },
    },
    forms: { "/properties/sku/name": "lower" },
    adds: {
      "/properties/features": { legacy: 0, searchVersion: 1 },
      "/properties/publicNetworkAccessForIngestion": "Enabled",
    },
    edit: ["/properties/retentionInDays", 60],
  },
  {
    type: "Microsoft.RecoveryServices/vaults",
    declared: { location, sku: { name: "RS0", tier: "Standard" }, properties: { publicNetworkAccess: "Enabled" } },
    adds: {
      "/properties/redundancySettings": {
        standardTierStorageRedundancy: "GeoRedundant",
        crossRegionRestore: "Disabled",
      },
    },
    edit: ["/properties/publicNetworkAccess", "Disabled"],
  },
  {
    type: "Microsoft.Search/searchServices",
    declared: {
      location,
      sku: { name: "Basic" },
      properties: { replicaCount: 1, partitionCount: 1, hostingMode: "default", publicNetworkAccess: "enabled" },
    },
    forms: { "/sku/name": "lower", "/properties/hostingMode": "title", "/properties/publicNetworkAccess": "title" },
    adds: { "/properties/disableLocalAuth": false },
    edit: ["/properties/replicaCount", 2],
  },
  {
    type: "Microsoft.ServiceBus/namespaces",
    declared: {
      location,
      sku: { name: "Standard", tier: "Standard", capacity: 0 },
      properties: { disableLocalAuth: false },
    },
    forms: { "/sku/capacity": "noEmpty" },
    adds: { "/properties/zoneRedundant": true },
    edit: ["/properties/disableLocalAuth", true],
  },
  {
    type: "Microsoft.ServiceBus/namespaces/queues",
    name: "shop/orders",
    declared: {
      properties: {
        lockDuration: "PT1M",
        maxDeliveryCount: 10,
        requiresSession: false,
        defaultMessageTimeToLive: "P14D",
      },
    },
    adds: {
      "/properties/maxSizeInMegabytes": 1024,
      "/properties/enableBatchedOperations": true,
      "/properties/autoDeleteOnIdle": "P10675199DT2H48M5.4775807S",
    },
    edit: ["/properties/maxDeliveryCount", 20],
  },
  {
    type: "Microsoft.ServiceBus/namespaces/topics",
    name: "shop/events",
    declared: { properties: { maxSizeInMegabytes: 2048, supportOrdering: true } },
    adds: { "/properties/enablePartitioning": false, "/properties/duplicateDetectionHistoryTimeWindow": "PT10M" },
    edit: ["/properties/maxSizeInMegabytes", 4096],
  },
  {
    type: "Microsoft.SignalRService/signalR",
    declared: {
      location,
      kind: "SignalR",
      sku: { name: "Standard_S1", capacity: 1 },
      properties: { features: [{ flag: "ServiceMode", value: "Serverless" }], cors: { allowedOrigins: ["*"] } },
    },
    adds: { "/sku/tier": "Standard", "/properties/features/*/properties": {}, "/properties/disableLocalAuth": false },
    edit: ["/sku/capacity", 2],
  },
  {
    type: "Microsoft.Sql/servers",
    declared: {
      location,
      properties: {
        administratorLogin: "shop",
        administratorLoginPassword: "P4ssw0rd-of-sql",
        version: "12.0",
        minimalTlsVersion: "1.2",
        publicNetworkAccess: "disabled",
      },
    },
    forms: { "/properties/publicNetworkAccess": "title" },
    adds: { "/properties/restrictOutboundNetworkAccess": "Disabled" },
    edit: ["/properties/minimalTlsVersion", "1.1"],
  },
  {
    type: "Microsoft.Sql/servers/databases",
    name: "shop/orders",
    declared: {
      location,
      sku: { name: "S0", tier: "Standard" },
      properties: {
        collation: "SQL_Latin1_General_CP1_CI_AS",
        maxSizeBytes: 268435456000,
        createMode: "Default",
        sampleName: "AdventureWorksLT",
        zoneRedundant: false,
      },
    },
    forms: { "/properties/createMode": "never", "/properties/sampleName": "never" },
    adds: {
      "/sku/capacity": 10,
      "/properties/readScale": "Disabled",
      "/properties/catalogCollation": "SQL_Latin1_General_CP1_CI_AS",
    },
    edit: ["/properties/maxSizeBytes", 107374182400],
  },
  {
    type: "Microsoft.Sql/servers/elasticPools",
    name: "shop/pool",
    declared: {
      location,
      sku: { name: "StandardPool", tier: "Standard", capacity: 100 },
      properties: { perDatabaseSettings: { minCapacity: 0, maxCapacity: 50 } },
    },
    adds: { "/properties/maxSizeBytes": 107374182400, "/properties/zoneRedundant": false },
    edit: ["/properties/perDatabaseSettings/maxCapacity", 100],
  },
  {
    type: "Microsoft.Sql/servers/firewallRules",
    name: "shop/office",
    declared: { properties: { startIpAddress: "203.0.113.1", endIpAddress: "203.0.113.9" } },
    edit: ["/properties/endIpAddress", "203.0.113.19"],
  },
  {
    type: "Microsoft.Storage/storageAccounts",
    declared: {
      location,
      kind: "StorageV2",
      sku: { name: "Standard_LRS" },
      properties: {
        accessTier: "Hot",
        minimumTlsVersion: "TLS1_2",
        allowBlobPublicAccess: false,
        supportsHttpsTrafficOnly: true,
        networkAcls: {
          bypass: "Logging,Metrics",
          defaultAction: "Deny",
          ipRules: [{ value: "203.0.113.7" }],
          virtualNetworkRules: [],
        },
      },
    },
    forms: { "/properties/networkAcls/bypass": "as:Logging, Metrics" },
    adds: {
      "/sku/tier": "Standard",
      "/properties/networkAcls/ipRules/*/action": "Allow",
      "/properties/encryption": {
        keySource: "Microsoft.Storage",
        services: { blob: { enabled: true, keyType: "Account" } },
      },
    },
    edit: ["/properties/minimumTlsVersion", "TLS1_0"],
  },
  {
    type: "Microsoft.Storage/storageAccounts/blobServices/containers",
    name: "shop/default/images",
    declared: { properties: { publicAccess: "None", metadata: { purpose: "images" } } },
    adds: {
      "/properties/defaultEncryptionScope": "$account-encryption-key",
      "/properties/denyEncryptionScopeOverride": false,
    },
    edit: ["/properties/publicAccess", "Blob"],
  },
  {
    type: "Microsoft.Web/serverfarms",
    declared: {
      location,
      kind: "linux",
      sku: { name: "P1v3", tier: "PremiumV3" },
      properties: { reserved: true, perSiteScaling: false },
    },
    adds: {
      "/sku/size": "P1v3",
      "/sku/family": "Pv3",
      "/sku/capacity": 1,
      "/properties/targetWorkerCount": 0,
      "/properties/elasticScaleEnabled": false,
    },
    edit: ["/properties/perSiteScaling", true],
  },
  {
    type: "Microsoft.Web/sites",
    declared: {
      location,
      kind: "app,linux",
      properties: {
        serverFarmId: plan,
        httpsOnly: true,
        siteConfig: {
          linuxFxVersion: "NODE|22-lts",
          alwaysOn: true,
          appSettings: [{ name: "WEBSITE_RUN_FROM_PACKAGE", value: "1" }],
        },
      },
    },
    adds: {
      "/properties/enabled": true,
      "/properties/clientAffinityEnabled": true,
      "/properties/siteConfig/ftpsState": "FtpsOnly",
    },
    edit: ["/properties/httpsOnly", false],
  },
  {
    type: "Microsoft.Web/sites",
    declared: {
      location,
      kind: "functionapp",
      properties: { serverFarmId: plan.toLowerCase(), siteConfig: {}, clientAffinityEnabled: false },
    },
    forms: { "/properties/siteConfig": "never" },
    adds: { "/properties/enabled": true, "/properties/reserved": false },
    edit: ["/properties/clientAffinityEnabled", true],
  },
  {
    type: "Microsoft.Web/sites/slots",
    name: "shop/staging",
    declared: { location, properties: { serverFarmId: plan, httpsOnly: true } },
    adds: { "/kind": "app", "/properties/enabled": true },
    edit: ["/properties/httpsOnly", false],
  },
  {
    type: "Microsoft.Web/staticSites",
    declared: {
      location,
      sku: { name: "Free", tier: "Free" },
      properties: {
        repositoryUrl: "https://github.com/shop/web",
        branch: "main",
        repositoryToken: "token-of-github",
        buildProperties: { appLocation: "app" },
      },
    },
    forms: { "/properties/repositoryToken": "never" },
    adds: { "/properties/stagingEnvironmentPolicy": "Enabled", "/properties/allowConfigFileUpdates": true },
    edit: ["/properties/branch", "live"],
  },
];
