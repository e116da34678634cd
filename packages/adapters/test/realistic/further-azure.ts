import { type Declaration, idOf, subscription } from "./declarations.ts";

const location = "westeurope";
const net = (kind: string, name: string) => idOf(`Microsoft.Network/${kind}`, name);
const tenantId = "72f988bf-86f1-41af-91ab-2d7cd011db47";
const identity = idOf("Microsoft.ManagedIdentity/userAssignedIdentities", "web");
const gateway = (kind: string, name: string) => ({ id: net("applicationGateways", `app/${kind}/${name}`) });
const pfx = "MIIKcQIBAzCCCi0GCSqGSIb3DQEHAaCCCh4EggoaMIIKFjCCBg==";

/** Richer declarations of Azure's types: what is nested in lists, secrets among other members, and what is taken and never shown. */
export const furtherAzureDeclarations: readonly Declaration[] = [
  {
    type: "Microsoft.App/containerApps",
    name: "checkout",
    declared: {
      location,
      identity: { type: "UserAssigned", userAssignedIdentities: { [identity]: {} } },
      properties: {
        environmentId: idOf("Microsoft.App/managedEnvironments", "env"),
        configuration: {
          activeRevisionsMode: "multiple",
          dapr: { enabled: true, appId: "checkout", appPort: 8080 },
          secrets: [
            { name: "queue", value: "connection-of-the-queue" },
            { name: "key", keyVaultUrl: "https://shop.vault.azure.net/secrets/key", identity },
          ],
          ingress: {
            external: true,
            targetPort: 8080,
            traffic: [{ latestRevision: true, weight: 100 }],
            ipSecurityRestrictions: [{ name: "office", ipAddressRange: "203.0.113.0/24", action: "allow" }],
            corsPolicy: { allowedOrigins: ["https://shop.example.com"], allowCredentials: false },
          },
        },
        template: {
          initContainers: [{ name: "migrate", image: "shop.azurecr.io/migrate:1", args: ["up"] }],
          containers: [
            {
              name: "web",
              image: "shop.azurecr.io/web:1",
              env: [
                { name: "MODE", value: "live" },
                { name: "QUEUE", secretRef: "queue" },
              ],
              probes: [{ type: "liveness", httpGet: { path: "/live", port: 8080 }, periodSeconds: 10 }],
              resources: { cpu: 0.25, memory: "0.5Gi" },
              volumeMounts: [{ volumeName: "files", mountPath: "/files" }],
            },
          ],
          volumes: [{ name: "files", storageType: "AzureFile", storageName: "files" }],
          scale: {
            minReplicas: 0,
            maxReplicas: 5,
            rules: [
              {
                name: "queue",
                custom: {
                  type: "azure-queue",
                  metadata: { queueName: "orders", queueLength: "5" },
                  auth: [{ secretRef: "queue", triggerParameter: "connection" }],
                },
              },
            ],
          },
        },
      },
    },
    forms: {
      "/properties/configuration/activeRevisionsMode": "title",
      "/properties/configuration/secrets/*/value": "never",
      "/properties/configuration/ingress/ipSecurityRestrictions/*/action": "title",
      "/properties/template/containers/*/probes/*/type": "title",
    },
    adds: {
      "/properties/managedEnvironmentId": idOf("Microsoft.App/managedEnvironments", "env"),
      "/properties/configuration/dapr/appProtocol": "http",
      "/properties/configuration/ingress/transport": "Auto",
      "/properties/template/containers/*/probes/*/failureThreshold": 3,
      "/properties/template/containers/*/probes/*/httpGet/scheme": "HTTP",
      "/properties/template/containers/*/resources/ephemeralStorage": "1Gi",
      "/properties/template/initContainers/*/resources": { cpu: 0.25, memory: "0.5Gi" },
      "/properties/template/scale/cooldownPeriod": 300,
    },
    edit: ["/properties/template/containers/0/env/0/value", "test"],
  },
  {
    type: "Microsoft.Compute/virtualMachineScaleSets",
    name: "workers",
    declared: {
      location,
      sku: { name: "Standard_D2s_v5", tier: "Standard", capacity: 2 },
      properties: {
        upgradePolicy: { mode: "Manual" },
        virtualMachineProfile: {
          osProfile: {
            computerNamePrefix: "worker",
            adminUsername: "azureuser",
            adminPassword: "P4ssw0rd-of-the-workers",
            customData: "I2Nsb3VkLWNvbmZpZw==",
          },
          storageProfile: {
            imageReference: { publisher: "Canonical", offer: "ubuntu-24_04-lts", sku: "server", version: "latest" },
            osDisk: {
              createOption: "FromImage",
              caching: "ReadWrite",
              managedDisk: { storageAccountType: "Premium_LRS" },
            },
            dataDisks: [{ lun: 0, createOption: "Empty", diskSizeGB: 128 }],
          },
          networkProfile: {
            networkInterfaceConfigurations: [
              {
                name: "nic",
                properties: {
                  primary: true,
                  ipConfigurations: [
                    { name: "ip", properties: { subnet: { id: net("virtualNetworks", "hub/subnets/web") } } },
                  ],
                },
              },
            ],
          },
          extensionProfile: {
            extensions: [
              {
                name: "setup",
                properties: {
                  publisher: "Microsoft.Azure.Extensions",
                  type: "CustomScript",
                  typeHandlerVersion: "2.1",
                  autoUpgradeMinorVersion: true,
                  settings: { skipDos2Unix: false },
                  protectedSettings: { commandToExecute: "sh setup.sh --token secret-of-setup" },
                },
              },
            ],
          },
        },
      },
    },
    forms: {
      "/properties/virtualMachineProfile/osProfile/adminPassword": "never",
      "/properties/virtualMachineProfile/osProfile/customData": "never",
      "/properties/virtualMachineProfile/extensionProfile/extensions/*/properties/protectedSettings": "never",
    },
    adds: {
      "/properties/singlePlacementGroup": true,
      "/properties/overprovision": true,
      "/properties/virtualMachineProfile/osProfile/allowExtensionOperations": true,
      "/properties/virtualMachineProfile/storageProfile/osDisk/osType": "Linux",
      "/properties/virtualMachineProfile/storageProfile/dataDisks/*/caching": "None",
      "/properties/virtualMachineProfile/networkProfile/networkInterfaceConfigurations/*/properties/enableIPForwarding": false,
      "/properties/virtualMachineProfile/networkProfile/networkInterfaceConfigurations/*/properties/ipConfigurations/*/properties/privateIPAddressVersion":
        "IPv4",
    },
    edit: ["/sku/capacity", 3],
  },
  {
    type: "Microsoft.Compute/virtualMachines",
    name: "windows",
    declared: {
      location,
      properties: {
        hardwareProfile: { vmSize: "Standard_D2s_v5" },
        osProfile: {
          computerName: "windows",
          adminUsername: "azureuser",
          adminPassword: "P4ssw0rd-of-windows",
          windowsConfiguration: {
            enableAutomaticUpdates: true,
            timeZone: "W. Europe Standard Time",
            patchSettings: { patchMode: "AutomaticByOS" },
            additionalUnattendContent: [
              {
                passName: "OobeSystem",
                componentName: "Microsoft-Windows-Shell-Setup",
                settingName: "AutoLogon",
                content: "<AutoLogon>secret</AutoLogon>",
              },
            ],
          },
          secrets: [],
        },
        storageProfile: {
          imageReference: {
            publisher: "MicrosoftWindowsServer",
            offer: "WindowsServer",
            sku: "2022-datacenter",
            version: "latest",
          },
          osDisk: { name: "os", createOption: "FromImage", managedDisk: { storageAccountType: "Premium_LRS" } },
          dataDisks: [
            { lun: 0, createOption: "Empty", diskSizeGB: 64, caching: "ReadOnly" },
            { lun: 1, createOption: "Attach", managedDisk: { id: idOf("Microsoft.Compute/disks", "data") } },
          ],
        },
        networkProfile: {
          networkInterfaces: [{ id: net("networkInterfaces", "one"), properties: { primary: true } }],
        },
        diagnosticsProfile: { bootDiagnostics: { enabled: true } },
        licenseType: "Windows_Server",
      },
    },
    forms: {
      "/properties/osProfile/adminPassword": "never",
      "/properties/osProfile/windowsConfiguration/additionalUnattendContent/*/content": "never",
    },
    adds: {
      "/properties/osProfile/allowExtensionOperations": true,
      "/properties/osProfile/windowsConfiguration/provisionVMAgent": true,
      "/properties/osProfile/windowsConfiguration/patchSettings/assessmentMode": "ImageDefault",
      "/properties/storageProfile/osDisk/osType": "Windows",
      "/properties/storageProfile/osDisk/caching": "ReadWrite",
      "/properties/storageProfile/dataDisks/*/name": "windows_data",
      "/properties/storageProfile/dataDisks/*/toBeDetached": false,
      "/properties/storageProfile/imageReference/exactVersion": "20348.1.1",
    },
    edit: ["/properties/storageProfile/dataDisks/0/caching", "None"],
  },
  {
    type: "Microsoft.ContainerInstance/containerGroups",
    name: "batch",
    declared: {
      location,
      properties: {
        osType: "Linux",
        restartPolicy: "OnFailure",
        containers: [
          {
            name: "batch",
            properties: {
              image: "shop.azurecr.io/batch:1",
              command: ["run"],
              environmentVariables: [
                { name: "MODE", value: "live" },
                { name: "KEY", secureValue: "secret-of-batch" },
              ],
              resources: { requests: { cpu: 1, memoryInGB: 1.5 } },
              volumeMounts: [{ name: "files", mountPath: "/files" }],
            },
          },
        ],
        imageRegistryCredentials: [{ server: "shop.azurecr.io", username: "shop", password: "secret-of-registry" }],
        volumes: [
          {
            name: "files",
            azureFile: { shareName: "f", storageAccountName: "shop", storageAccountKey: "secret-of-files" },
          },
          { name: "config", secret: { "shop.yaml": "c2VjcmV0" } },
        ],
        diagnostics: { logAnalytics: { workspaceId: tenantId, workspaceKey: "secret-of-logs" } },
      },
    },
    forms: {
      "/properties/containers/*/properties/environmentVariables/*/secureValue": "never",
      "/properties/imageRegistryCredentials/*/password": "never",
      "/properties/volumes/*/azureFile/storageAccountKey": "never",
      "/properties/volumes/*/secret": "never",
      "/properties/diagnostics/logAnalytics/workspaceKey": "never",
    },
    adds: {
      "/properties/sku": "Standard",
      "/properties/initContainers": [],
      "/properties/containers/*/properties/ports": [],
      "/properties/containers/*/properties/instanceView": { restartCount: 0 },
    },
  },
  {
    type: "Microsoft.Web/sites",
    name: "shop-api",
    declared: {
      location,
      kind: "app,linux",
      identity: { type: "SystemAssigned" },
      properties: {
        serverFarmId: idOf("Microsoft.Web/serverfarms", "plan"),
        httpsOnly: true,
        clientAffinityEnabled: false,
        siteConfig: {
          linuxFxVersion: "node|20-lts",
          minTlsVersion: "1.2",
          ftpsState: "disabled",
          alwaysOn: true,
          cors: { allowedOrigins: ["https://shop.example.com"] },
          ipSecurityRestrictions: [{ ipAddress: "203.0.113.7", action: "allow", priority: 100, name: "office" }],
        },
      },
    },
    forms: {
      "/properties/siteConfig/linuxFxVersion": "upper",
      "/properties/siteConfig/ftpsState": "title",
      "/properties/siteConfig/ipSecurityRestrictions/*/action": "title",
      "/properties/siteConfig/ipSecurityRestrictions/*/ipAddress": "ends:/32",
    },
    adds: {
      "/properties/siteConfig/http20Enabled": false,
      "/properties/siteConfig/ipSecurityRestrictions/*/tag": "Default",
      "/properties/siteConfig/cors/supportCredentials": false,
      "/properties/enabled": true,
    },
    edit: ["/properties/httpsOnly", false],
  },
  {
    type: "Microsoft.Network/applicationGateways",
    name: "app",
    declared: {
      location,
      properties: {
        sku: { name: "WAF_v2", tier: "WAF_v2" },
        autoscaleConfiguration: { minCapacity: 0, maxCapacity: 3 },
        gatewayIPConfigurations: [
          { name: "ip", properties: { subnet: { id: net("virtualNetworks", "hub/subnets/gateway") } } },
        ],
        frontendIPConfigurations: [
          { name: "public", properties: { publicIPAddress: { id: net("publicIPAddresses", "app") } } },
        ],
        frontendPorts: [{ name: "https", properties: { port: 443 } }],
        sslCertificates: [{ name: "web", properties: { data: pfx, password: "secret-of-pfx" } }],
        probes: [
          {
            name: "ready",
            properties: {
              protocol: "Https",
              path: "/ready",
              interval: 30,
              timeout: 30,
              unhealthyThreshold: 3,
              pickHostNameFromBackendHttpSettings: true,
            },
          },
        ],
        backendAddressPools: [
          { name: "web", properties: { backendAddresses: [{ fqdn: "web.example.com" }] } },
          { name: "api", properties: { backendAddresses: [{ ipAddress: "10.0.1.4" }] } },
        ],
        backendHttpSettingsCollection: [
          {
            name: "https",
            properties: {
              port: 443,
              protocol: "https",
              cookieBasedAffinity: "Disabled",
              probe: gateway("probes", "ready"),
            },
          },
        ],
        httpListeners: [
          {
            name: "https",
            properties: {
              protocol: "https",
              frontendIPConfiguration: gateway("frontendIPConfigurations", "public"),
              frontendPort: gateway("frontendPorts", "https"),
              sslCertificate: gateway("sslCertificates", "web"),
            },
          },
        ],
        urlPathMaps: [
          {
            name: "paths",
            properties: {
              defaultBackendAddressPool: gateway("backendAddressPools", "web"),
              defaultBackendHttpSettings: gateway("backendHttpSettingsCollection", "https"),
              pathRules: [
                {
                  name: "api",
                  properties: {
                    paths: ["/api/*"],
                    backendAddressPool: gateway("backendAddressPools", "api"),
                    backendHttpSettings: gateway("backendHttpSettingsCollection", "https"),
                  },
                },
              ],
            },
          },
        ],
        requestRoutingRules: [
          {
            name: "paths",
            properties: {
              ruleType: "PathBasedRouting",
              priority: 10,
              httpListener: gateway("httpListeners", "https"),
              urlPathMap: gateway("urlPathMaps", "paths"),
            },
          },
        ],
      },
    },
    forms: {
      "/properties/sslCertificates/*/properties/data": "never",
      "/properties/sslCertificates/*/properties/password": "never",
      "/properties/backendHttpSettingsCollection/*/properties/protocol": "title",
      "/properties/httpListeners/*/properties/protocol": "title",
    },
    adds: {
      "/properties/sslCertificates/*/properties/publicCertData": "MIID",
      "/properties/backendHttpSettingsCollection/*/properties/requestTimeout": 30,
      "/properties/httpListeners/*/properties/hostNames": [],
      "/properties/httpListeners/*/properties/requireServerNameIndication": false,
      "/properties/frontendIPConfigurations/*/properties/privateIPAllocationMethod": "Dynamic",
      "/properties/probes/*/properties/minServers": 0,
      "/properties/sslPolicy": { policyType: "Predefined", policyName: "AppGwSslPolicy20220101" },
    },
    edit: ["/properties/urlPathMaps/0/properties/pathRules/0/properties/paths", ["/api/*", "/v2/*"]],
  },
  {
    type: "Microsoft.ApiManagement/service",
    name: "shop-apis",
    declared: {
      location,
      sku: { name: "Premium", capacity: 1 },
      properties: {
        publisherEmail: "api@example.com",
        publisherName: "Shop",
        hostnameConfigurations: [
          {
            type: "Proxy",
            hostName: "api.example.com",
            encodedCertificate: pfx,
            certificatePassword: "secret-of-pfx",
            defaultSslBinding: true,
            negotiateClientCertificate: false,
          },
        ],
        certificates: [
          { encodedCertificate: pfx, certificatePassword: "secret-of-ca", storeName: "CertificateAuthority" },
        ],
        customProperties: { "Microsoft.WindowsAzure.ApiManagement.Gateway.Security.Protocols.Tls11": "false" },
      },
    },
    forms: {
      "/properties/hostnameConfigurations/*/encodedCertificate": "never",
      "/properties/hostnameConfigurations/*/certificatePassword": "never",
      "/properties/certificates/*/encodedCertificate": "never",
      "/properties/certificates/*/certificatePassword": "never",
      "/properties/customProperties/Microsoft.WindowsAzure.ApiManagement.Gateway.Security.Protocols.Tls11": "title",
    },
    adds: {
      "/properties/virtualNetworkType": "None",
      "/properties/hostnameConfigurations/*/certificateSource": "Custom",
      "/properties/publicNetworkAccess": "Enabled",
    },
    edit: ["/properties/hostnameConfigurations/0/negotiateClientCertificate", true],
  },
  {
    type: "Microsoft.DocumentDB/databaseAccounts",
    name: "orders",
    declared: {
      location,
      kind: "GlobalDocumentDB",
      properties: {
        databaseAccountOfferType: "Standard",
        consistencyPolicy: {
          defaultConsistencyLevel: "boundedStaleness",
          maxStalenessPrefix: 100000,
          maxIntervalInSeconds: 300,
        },
        locations: [
          { locationName: "West Europe", failoverPriority: 0, isZoneRedundant: false },
          { locationName: "North Europe", failoverPriority: 1, isZoneRedundant: false },
        ],
        capabilities: [{ name: "EnableServerless" }],
        ipRules: [{ ipAddressOrRange: "203.0.113.7" }],
        virtualNetworkRules: [
          { id: net("virtualNetworks", "hub/subnets/web"), ignoreMissingVNetServiceEndpoint: false },
        ],
        backupPolicy: {
          type: "Periodic",
          periodicModeProperties: { backupIntervalInMinutes: 240, backupRetentionIntervalInHours: 8 },
        },
        cors: [{ allowedOrigins: "https://shop.example.com" }],
      },
    },
    forms: { "/properties/consistencyPolicy/defaultConsistencyLevel": "title" },
    adds: {
      "/properties/backupPolicy/periodicModeProperties/backupStorageRedundancy": "Geo",
      "/properties/isVirtualNetworkFilterEnabled": false,
      "/properties/enableFreeTier": false,
      "/properties/publicNetworkAccess": "Enabled",
    },
    edit: ["/properties/backupPolicy/periodicModeProperties/backupRetentionIntervalInHours", 12],
  },
  {
    type: "Microsoft.Storage/storageAccounts",
    name: "shopfiles",
    declared: {
      location,
      kind: "StorageV2",
      sku: { name: "Standard_GRS" },
      properties: {
        accessTier: "hot",
        minimumTlsVersion: "TLS1_2",
        allowBlobPublicAccess: false,
        supportsHttpsTrafficOnly: true,
        encryption: {
          keySource: "Microsoft.Storage",
          services: { blob: { enabled: true }, file: { enabled: true, keyType: "Account" } },
        },
        networkAcls: {
          defaultAction: "Deny",
          bypass: "Logging, AzureServices",
          ipRules: [{ value: "203.0.113.7" }, { value: "198.51.100.0/24", action: "Allow" }],
          virtualNetworkRules: [{ id: net("virtualNetworks", "hub/subnets/web"), action: "Allow" }],
        },
      },
    },
    forms: { "/properties/accessTier": "title", "/properties/networkAcls/bypass": "as:Logging, AzureServices" },
    adds: {
      "/properties/networkAcls/ipRules/*/action": "Allow",
      "/properties/networkAcls/virtualNetworkRules/*/state": "Succeeded",
      "/properties/encryption/services/blob/keyType": "Account",
      "/properties/encryption/services/blob/lastEnabledTime": "2026-01-01T00:00:00Z",
    },
    edit: ["/properties/networkAcls/defaultAction", "Allow"],
  },
  {
    type: "Microsoft.Insights/actionGroups",
    name: "on-call",
    declared: {
      location: "Global",
      properties: {
        groupShortName: "oncall",
        enabled: true,
        emailReceivers: [{ name: "ops", emailAddress: "ops@example.com", useCommonAlertSchema: true }],
        smsReceivers: [{ name: "phone", countryCode: "49", phoneNumber: "1701234567" }],
        webhookReceivers: [{ name: "chat", serviceUri: "https://chat.example.com/hook", useCommonAlertSchema: true }],
        armRoleReceivers: [{ name: "owners", roleId: "8e3af657-a8ff-443c-a75c-2fe8c4bcb635" }],
      },
    },
    adds: {
      "/properties/smsReceivers/*/status": "Enabled",
      "/properties/emailReceivers/*/status": "Enabled",
      "/properties/webhookReceivers/*/useAadAuth": false,
      "/properties/armRoleReceivers/*/useCommonAlertSchema": false,
      "/properties/voiceReceivers": [],
    },
    edit: ["/properties/enabled", false],
  },
  {
    type: "Microsoft.Insights/metricAlerts",
    name: "slow",
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
              criterionType: "StaticThresholdCriterion",
              name: "latency",
              metricName: "HttpResponseTime",
              timeAggregation: "Average",
              operator: "GreaterThan",
              threshold: 2,
              dimensions: [{ name: "Instance", operator: "Include", values: ["*"] }],
            },
          ],
        },
        actions: [{ actionGroupId: idOf("Microsoft.Insights/actionGroups", "on-call"), webHookProperties: {} }],
      },
    },
    adds: {
      "/properties/autoMitigate": true,
      "/properties/criteria/allOf/*/skipMetricValidation": false,
      "/properties/criteria/allOf/*/metricNamespace": "Microsoft.Web/sites",
      "/properties/targetResourceType": "",
    },
    edit: ["/properties/criteria/allOf/0/threshold", 3],
  },
  {
    type: "Microsoft.ContainerService/managedClusters",
    name: "shop",
    declared: {
      location,
      identity: { type: "SystemAssigned" },
      properties: {
        dnsPrefix: "shop",
        kubernetesVersion: "1.33",
        enableRBAC: true,
        agentPoolProfiles: [
          { name: "system", mode: "System", count: 2, vmSize: "Standard_D2s_v5", osType: "Linux", nodeTaints: [] },
          {
            name: "win",
            mode: "User",
            count: 1,
            minCount: 1,
            maxCount: 3,
            enableAutoScaling: true,
            vmSize: "Standard_D4s_v5",
            osType: "Windows",
            nodeLabels: { pool: "windows" },
          },
        ],
        windowsProfile: { adminUsername: "azureuser", adminPassword: "P4ssw0rd-of-the-nodes" },
        addonProfiles: {
          omsagent: {
            enabled: true,
            config: { logAnalyticsWorkspaceResourceID: idOf("Microsoft.OperationalInsights/workspaces", "logs") },
          },
          azurepolicy: { enabled: false },
        },
        autoScalerProfile: { "scan-interval": "20s", expander: "random" },
        networkProfile: { networkPlugin: "azure", loadBalancerSku: "standard", serviceCidr: "10.2.0.0/16" },
        apiServerAccessProfile: { authorizedIPRanges: ["203.0.113.7/32", "198.51.100.0/24"] },
      },
    },
    forms: {
      "/properties/windowsProfile/adminPassword": "never",
      "/properties/kubernetesVersion": "ends:.2",
      "/properties/networkProfile/loadBalancerSku": "title",
      "/properties/agentPoolProfiles/*/nodeTaints": "noEmpty",
    },
    adds: {
      "/properties/agentPoolProfiles/*/osDiskSizeGB": 128,
      "/properties/agentPoolProfiles/*/type": "VirtualMachineScaleSets",
      "/properties/agentPoolProfiles/*/maxPods": 30,
      "/properties/addonProfiles/omsagent/identity": { clientId: tenantId },
      "/properties/autoScalerProfile/max-node-provision-time": "15m",
      "/properties/networkProfile/outboundType": "loadBalancer",
      "/properties/windowsProfile/enableCSIProxy": true,
      "/properties/nodeResourceGroup": "MC_dev_shop_westeurope",
    },
    edit: ["/properties/agentPoolProfiles/1/maxCount", 5],
  },
  {
    type: "Microsoft.EventHub/namespaces/eventhubs",
    name: "shop/captured",
    declared: {
      properties: {
        partitionCount: 4,
        retentionDescription: { cleanupPolicy: "Delete", retentionTimeInHours: 24 },
        captureDescription: {
          enabled: true,
          encoding: "Avro",
          intervalInSeconds: 300,
          destination: {
            name: "EventHubArchive.AzureBlockBlob",
            properties: {
              storageAccountResourceId: idOf("Microsoft.Storage/storageAccounts", "shop"),
              blobContainer: "events",
              archiveNameFormat: "{Namespace}/{EventHub}/{PartitionId}/{Year}/{Month}/{Day}/{Hour}/{Minute}/{Second}",
            },
          },
        },
      },
    },
    adds: {
      "/properties/captureDescription/sizeLimitInBytes": 314572800,
      "/properties/captureDescription/skipEmptyArchives": false,
      "/properties/messageRetentionInDays": 1,
      "/properties/status": "Active",
    },
    edit: ["/properties/captureDescription/intervalInSeconds", 600],
  },
  {
    type: "Microsoft.KeyVault/vaults",
    name: "shop-keys",
    declared: {
      location,
      properties: {
        tenantId,
        sku: { family: "A", name: "Standard" },
        accessPolicies: [
          {
            tenantId,
            objectId: "2573a22e-b9d7-4ee7-9187-4a359baac7cd",
            permissions: { keys: ["Get", "List"], secrets: ["Get", "List", "Set"], certificates: [] },
          },
        ],
        networkAcls: {
          bypass: "AzureServices",
          defaultAction: "Deny",
          ipRules: [{ value: "203.0.113.7" }],
          virtualNetworkRules: [{ id: net("virtualNetworks", "hub/subnets/web") }],
        },
      },
    },
    forms: {
      "/properties/sku/name": "lower",
      "/properties/networkAcls/ipRules/*/value": "ends:/32",
      "/properties/accessPolicies/*/permissions/certificates": "noEmpty",
    },
    adds: { "/properties/enableSoftDelete": true, "/properties/vaultUri": "https://shop-keys.vault.azure.net/" },
    edit: ["/properties/accessPolicies/0/permissions/secrets", ["Get"]],
  },
  {
    type: "Microsoft.Network/networkSecurityGroups",
    name: "many",
    declared: {
      location,
      properties: {
        securityRules: [
          {
            name: "web",
            properties: {
              priority: 100,
              direction: "inbound",
              access: "allow",
              protocol: "tcp",
              sourceAddressPrefixes: ["203.0.113.0/24", "198.51.100.0/24"],
              sourcePortRange: "*",
              destinationAddressPrefix: "VirtualNetwork",
              destinationPortRanges: ["443", "8080-8090"],
            },
          },
          {
            name: "groups",
            properties: {
              priority: 200,
              direction: "Inbound",
              access: "Deny",
              protocol: "*",
              sourceApplicationSecurityGroups: [{ id: net("applicationSecurityGroups", "api") }],
              sourcePortRange: "*",
              destinationApplicationSecurityGroups: [{ id: net("applicationSecurityGroups", "database") }],
              destinationPortRange: "*",
            },
          },
        ],
      },
    },
    forms: {
      "/properties/securityRules/*/properties/direction": "title",
      "/properties/securityRules/*/properties/access": "title",
      "/properties/securityRules/*/properties/protocol": "title",
    },
    adds: {
      "/properties/securityRules/*/properties/sourceAddressPrefixes": [],
      "/properties/securityRules/*/properties/destinationAddressPrefixes": [],
      "/properties/securityRules/*/properties/sourcePortRanges": [],
      "/properties/defaultSecurityRules": [],
    },
    edit: ["/properties/securityRules/0/properties/priority", 110],
  },
  {
    type: "Microsoft.Logic/workflows",
    name: "orders",
    declared: {
      location,
      properties: {
        state: "Enabled",
        definition: {
          $schema:
            "https://schema.management.azure.com/providers/Microsoft.Logic/schemas/2016-06-01/workflowdefinition.json#",
          contentVersion: "1.0.0.0",
          parameters: { $connections: { type: "Object", defaultValue: {} } },
          triggers: { hourly: { type: "Recurrence", recurrence: { frequency: "Hour", interval: 1 } } },
          actions: {
            call: { type: "Http", inputs: { method: "GET", uri: "https://shop.example.com/orders" }, runAfter: {} },
            log: { type: "Compose", inputs: "@body('call')", runAfter: { call: ["Succeeded"] } },
          },
        },
        parameters: {
          $connections: { value: { office: { id: `/subscriptions/${subscription}/x`, connectionName: "office" } } },
        },
      },
    },
    adds: {
      "/properties/definition/outputs": {},
      "/properties/definition/triggers/hourly/evaluatedRecurrence": { frequency: "Hour", interval: 1 },
    },
    edit: ["/properties/definition/triggers/hourly/recurrence/interval", 2],
  },
];
