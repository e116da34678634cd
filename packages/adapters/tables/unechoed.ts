import { type MemberType, type MemberTypes, marks } from "./described-api.ts";

/**
 * `secret`: never shown, and secret. `input`: taken and never shown. `creation`: the same, and counts when a resource is made alone.
 * `apart`: not shown with the resource, but by a call for it alone.
 */
export type Unechoed = "secret" | "input" | "creation" | "apart";

function said(of: Unechoed, prefix: string, names: string): [string, Unechoed][] {
  return names
    .trim()
    .split(/\s+/)
    .map((name) => [`${prefix}.${name}`, of]);
}

/**
 * Members that services take and don't give back, by schema and name, where the packages don't say so: they lack the `x-ms-secret` of the
 * specifications that they are made of, and of others only the vendor's documentation tells it.
 */
const beyond: ReadonlyMap<string, Unechoed> = new Map([
  ...said(
    "secret",
    "apimanagement",
    "CertificateConfiguration.encodedCertificate HostnameConfiguration.encodedCertificate",
  ),
  ...said("creation", "apimanagement", "ApiManagementServiceResource.restore"),
  ...said("creation", "appconfiguration", "ConfigurationStore.createMode"),
  ...said(
    "secret",
    "appcontainers",
    `CustomDomainConfiguration.certificateValue LogAnalyticsConfiguration.sharedKey ManagedEnvironment.daprAIConnectionString
     ManagedEnvironment.daprAIInstrumentationKey Secret.value`,
  ),
  ...said("secret", "appservice", "StaticSiteARMResource.repositoryToken StaticSitePatchResource.repositoryToken"),
  ...said("creation", "appservice", "Site.cloningInfo"),
  ...said("apart", "appservice.SiteConfig", "appSettings azureStorageAccounts connectionStrings"),
  ...said(
    "secret",
    "cognitiveservices",
    `AccountProperties.migrationToken ApiProperties.eventHubConnectionString ApiProperties.qnaAzureSearchEndpointKey
     ApiProperties.storageAccountConnectionString`,
  ),
  ...said("creation", "cognitiveservices", "AccountProperties.restore"),
  ...said(
    "secret",
    "compute",
    `AdditionalUnattendContent.content VirtualMachineExtension.protectedSettings
     VirtualMachineScaleSetExtension.protectedSettings`,
  ),
  ...said("secret", "keyvault", "SecretProperties.value SecretPatchProperties.value"),
  ...said(
    "input",
    "compute",
    `OSProfile.customData VirtualMachine.userData VirtualMachineUpdate.userData VirtualMachineScaleSetOSProfile.customData
     VirtualMachineScaleSetUpdateOSProfile.customData VirtualMachineScaleSetUpdateVMProfile.userData
     VirtualMachineScaleSetVMProfile.userData`,
  ),
  ...said(
    "secret",
    "containerinstance",
    `AzureFileVolume.storageAccountKey DeploymentExtensionSpec.protectedSettings EnvironmentVariable.secureValue
     LogAnalytics.workspaceKey Volume.secret`,
  ),
  ...said(
    "secret",
    "containerservice",
    "ManagedClusterAADProfile.serverAppSecret ManagedClusterServicePrincipalProfile.secret",
  ),
  ...said("creation", "keyvault", "VaultProperties.createMode"),
  ...said("creation", "mysql-flexible", "Server.createMode Server.restorePointInTime Server.sourceServerResourceId"),
  ...said("secret", "network", "ApplicationGatewaySslCertificate.data"),
  ...said("creation", "postgresql-flexible", "Server.createMode Server.pointInTimeUTC Server.sourceServerResourceId"),
  ...said(
    "secret",
    "rediscache.RedisCommonPropertiesRedisConfiguration",
    "aof-storage-connection-string-0 aof-storage-connection-string-1 rdb-storage-connection-string",
  ),
  ...said(
    "creation",
    "sql.Database",
    `createMode longTermRetentionBackupResourceId recoverableDatabaseId recoveryServicesRecoveryPointId
     restorableDroppedDatabaseId restorePointInTime sampleName sourceDatabaseId sourceResourceId`,
  ),
  // Google's say of most that they are for input only. Of these they say it in other words.
  ...said(
    "secret",
    "compute",
    `AWSV4Signature.accessKey BackendServiceIAP.oauth2ClientSecret CustomerEncryptionKey.rawKey
     CustomerEncryptionKey.rsaEncryptedKey MachineImage.sourceDiskEncryptionKeys RouterMd5AuthenticationKey.key
     SslCertificate.privateKey SslCertificateSelfManagedSslCertificate.privateKey VpnTunnel.sharedSecret`,
  ),
  ...said(
    "creation",
    "compute",
    `AttachedDisk.initializeParams InstanceProperties.resourceManagerTags InterconnectAttachment.candidateSubnets
     InterconnectAttachment.edgeAvailabilityDomain InterconnectAttachment.partnerAsn InterconnectAttachment.subnetLength
     MachineImage.guestFlush Snapshot.guestFlush`,
  ),
  // Shown as the moment when they end.
  ...said("input", "compute", "FutureReservation.autoCreatedReservationsDuration FutureReservationTimeWindow.duration"),
  ...said(
    "secret",
    "sqladmin",
    `DatabaseInstance.rootPassword OnPremisesConfiguration.clientKey OnPremisesConfiguration.password
     ReplicaConfiguration.mysqlReplicaConfiguration`,
  ),
]);

/** What a member that is never shown is. Parameters of a request are no part of the resource that it makes. */
export function unechoedAs({ schema, name, marks: own }: { schema: string; name: string; marks: string }): Unechoed {
  const known = beyond.get(`${schema}.${name}`);
  if (known !== undefined && !(known === "input" && own.includes(marks.immutable))) return known;
  if (/password$/i.test(name)) return "secret";
  return own.includes(marks.immutable) || name === "params" ? "creation" : "input";
}

/** The schemas of a vendor's API, with a mark on each member that is never shown. */
export function withUnechoed(schemas: Readonly<Record<string, MemberTypes>>): Record<string, MemberTypes> {
  const marked = (schema: string, members: MemberTypes): MemberTypes =>
    Object.fromEntries(
      Object.entries(members).map(([name, type]): [string, MemberType] => {
        if (typeof type !== "string") return [name, marked(schema, type)];
        const isOpen =
          beyond.has(`${schema}.${name}`) && !type.endsWith(marks.readOnly) && !type.endsWith(marks.hidden);
        return [name, isOpen ? `${type}${marks.hidden}` : type];
      }),
    );
  return Object.fromEntries(Object.entries(schemas).map(([schema, members]) => [schema, marked(schema, members)]));
}

/** A member of an AWS type that holds a secret. AWS marks these as write-only, and its package of types leaves that mark out. */
const awsSecret = /(Password|Passwords|SecretString|AuthToken|AuthTokens|ClientSecret|PrivateKey|SecretAccessKey)$/;

/** Other members that AWS documents as never returned, by type. */
const awsInput: Readonly<Record<string, string>> = {
  "AWS::ApiGateway::RestApi": "/Body /BodyS3Location /CloneFrom /FailOnWarnings /Mode /Parameters",
  "AWS::DynamoDB::Table": "/ImportSourceSpecification",
  "AWS::EC2::LaunchTemplate": "/LaunchTemplateData /TagSpecifications /VersionDescription",
  "AWS::KMS::Key": "/BypassPolicyLockoutSafetyCheck /PendingWindowInDays",
  "AWS::Lambda::Function": "/Code",
  "AWS::Lambda::LayerVersion": "/Content",
  "AWS::RDS::DBCluster": "/RestoreToTime /RestoreType /SnapshotIdentifier /SourceDBClusterIdentifier /SourceRegion",
  "AWS::RDS::DBInstance": "/AllowMajorVersionUpgrade /ApplyImmediately /DBSnapshotIdentifier /DeleteAutomatedBackups",
  "AWS::S3::Bucket": "/AccessControl",
  "AWS::SecretsManager::Secret": "/GenerateSecretString",
};

/** Types whose tags AWS accepts and never returns, so that nobody could see a removal. */
export const awsTagsUnread: ReadonlySet<string> = new Set([
  "AWS::AppStream::AppBlockBuilder",
  "AWS::AppStream::Application",
  "AWS::SSM::Parameter",
]);

/** Pointers of what an AWS type never shows. */
export function awsUnechoed(type: string, pointers: readonly string[]) {
  return {
    secret: pointers.filter((pointer) => awsSecret.test(pointer)),
    input: awsInput[type]?.split(" ") ?? [],
  };
}
