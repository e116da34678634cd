/** Services whose prefix in IAM is their name in CloudFormation with hyphens: `EMRContainers` is `emr-containers`. */
const hyphened = new Set(
  `
  ARCRegionSwitch ARCZonalShift AWSExternalAnthropic AccessAnalyzer AccountAccess AgentRegistry AppIntegrations
  ApplicationSignals BCMDataExports BackupGateway BcmPricingCalculator BedrockMantle ComputeOptimizer
  ConnectCampaigns EMRContainers EMRServerless ElementalInference HealthAgent KendraRanking LicenseManager
  NeptuneGraph NetworkFirewall NotificationsContacts NovaAct PCAConnectorAD PCAConnectorSCEP PaymentCryptography
  RedshiftServerless RefactorSpaces ResourceGroups Route53RecoveryControl Route53RecoveryReadiness
  S3ObjectLambda S3Outposts SSMContacts SSMIncidents VpcLattice WAFRegional WorkspacesInstances
  `.match(/\w+/g),
);

/** Services whose prefix in IAM is another word. */
const others = new Map(
  `
  ACMPCA=acm-pca AmazonMQ=mq ApiGatewayV2=apigateway ApplicationAutoScaling=application-autoscaling
  AutoScalingPlans=autoscaling-plans BedrockAgentCore=bedrock-agentcore CertificateManager=acm
  CleanRoomsML=cleanrooms-ml CodeGuruProfiler=codeguru-profiler CodeGuruReviewer=codeguru-reviewer
  CodeStarConnections=codestar-connections CodeStarNotifications=codestar-notifications Cognito=cognito-idp
  ConnectCampaignsV2=connect-campaigns CustomerProfiles=profile DevOpsAgent=aidevops DevOpsGuru=devops-guru
  DirectoryService=ds DocDB=rds DocDBElastic=docdb-elastic EFS=elasticfilesystem EMR=elasticmapreduce
  ElasticLoadBalancingV2=elasticloadbalancing Elasticsearch=es EventSchemas=schemas EventsV2=events
  GreengrassV2=greengrass HealthImaging=medical-imaging InspectorV2=inspector2
  IoTCoreDeviceAdvisor=iotdeviceadvisor KinesisAnalyticsV2=kinesisanalytics KinesisFirehose=firehose
  Location=geo MSK=kafka MWAA=airflow MWAAServerless=airflow-serverless Macie=macie2 Neptune=rds
  NimbleStudio=nimble OpenSearchServerless=aoss OpenSearchService=es Pinpoint=mobiletargeting PinpointEmail=ses
  ResourceExplorer2=resource-explorer-2 SMSVOICE=sms-voice SSMQuickSetup=ssm-quicksetup
  ServiceCatalogAppRegistry=servicecatalog StepFunctions=states SystemsManagerSAP=ssm-sap
  WorkSpacesThinClient=thinclient WorkSpacesWeb=workspaces-web
  `
    .trim()
    .split(/\s+/)
    .map((pair) => pair.split("=") as [string, string]),
);

/** The prefix of the IAM actions behind a type of CloudFormation's: `sqs` for `AWS::SQS::Queue`. */
export function awsPrefix(type: string): string {
  const service = type.split("::")[1] ?? "";
  const parts = service.split(/(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])/);
  return others.get(service) ?? parts.join(hyphened.has(service) ? "-" : "").toLowerCase();
}
