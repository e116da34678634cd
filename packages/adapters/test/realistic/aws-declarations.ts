import type { Declaration } from "./declarations.ts";

const role = "arn:aws:iam::111122223333:role/worker";
const key = "arn:aws:kms:eu-central-1:111122223333:key/0d990263-018e-4e65-a703-eff731de951e";

/** As CloudFormation's user guide declares them, with the defaults that it documents. */
export const awsDeclarations: readonly Declaration[] = [
  {
    type: "AWS::AutoScaling::AutoScalingGroup",
    declared: { MinSize: "1", MaxSize: "3", VPCZoneIdentifier: ["subnet-2", "subnet-1"], Tags: { team: "blue" } },
    forms: { "/VPCZoneIdentifier": "sorted" },
    adds: {
      "/DesiredCapacity": "1",
      "/Cooldown": "300",
      "/HealthCheckType": "EC2",
      "/TerminationPolicies": ["Default"],
    },
    edit: ["/MaxSize", "5"],
  },
  {
    type: "AWS::Athena::WorkGroup",
    declared: { Description: "of the shop", State: "ENABLED" },
    adds: { "/RecursiveDeleteOption": false },
    edit: ["/Description", "of the bakery"],
  },
  {
    type: "AWS::DynamoDB::Table",
    declared: {
      AttributeDefinitions: [{ AttributeName: "id", AttributeType: "S" }],
      KeySchema: [{ AttributeName: "id", KeyType: "HASH" }],
      BillingMode: "PAY_PER_REQUEST",
      TableClass: "STANDARD",
    },
    adds: { "/DeletionProtectionEnabled": false },
    edit: ["/TableClass", "STANDARD_INFREQUENT_ACCESS"],
  },
  {
    type: "AWS::EC2::VPC",
    declared: { CidrBlock: "10.0.0.0/16", EnableDnsHostnames: true },
    adds: { "/EnableDnsSupport": true, "/InstanceTenancy": "default" },
    edit: ["/EnableDnsHostnames", false],
  },
  {
    type: "AWS::ECR::Repository",
    declared: { ImageTagMutability: "IMMUTABLE", ImageScanningConfiguration: { ScanOnPush: true } },
    adds: { "/EncryptionConfiguration": { EncryptionType: "AES256" } },
    edit: ["/ImageTagMutability", "MUTABLE"],
  },
  {
    type: "AWS::ECS::Cluster",
    declared: {
      CapacityProviders: ["FARGATE_SPOT", "FARGATE"],
      ClusterSettings: [{ Name: "containerInsights", Value: "enabled" }],
    },
    forms: { "/CapacityProviders": "sorted" },
    adds: { "/DefaultCapacityProviderStrategy": [] },
    edit: ["/ClusterSettings/0/Value", "disabled"],
  },
  {
    type: "AWS::Events::Rule",
    declared: { Description: "every night", ScheduleExpression: "rate(1 day)" },
    adds: { "/EventBusName": "default", "/State": "ENABLED" },
    edit: ["/ScheduleExpression", "rate(2 days)"],
  },
  {
    type: "AWS::Glue::Job",
    declared: { Role: role, Command: { Name: "glueetl", ScriptLocation: "s3://shop/job.py" }, GlueVersion: "5.0" },
    adds: { "/MaxRetries": 0, "/Timeout": 480, "/Command/PythonVersion": "3" },
    edit: ["/GlueVersion", "4.0"],
  },
  {
    type: "AWS::IAM::Role",
    declared: {
      AssumeRolePolicyDocument: { Version: "2012-10-17", Statement: [{ Effect: "Allow", Action: "sts:AssumeRole" }] },
      Description: "of the shop",
    },
    adds: { "/MaxSessionDuration": 3600, "/Path": "/" },
    edit: ["/Description", "of the bakery"],
  },
  {
    type: "AWS::KMS::Key",
    declared: { Description: "of the shop", EnableKeyRotation: true },
    adds: { "/Enabled": true, "/KeySpec": "SYMMETRIC_DEFAULT", "/KeyUsage": "ENCRYPT_DECRYPT", "/MultiRegion": false },
    edit: ["/EnableKeyRotation", false],
  },
  {
    type: "AWS::Kinesis::Stream",
    declared: { ShardCount: 2, RetentionPeriodHours: 24 },
    adds: { "/StreamModeDetails": { StreamMode: "PROVISIONED" } },
    edit: ["/RetentionPeriodHours", 48],
  },
  {
    type: "AWS::Logs::LogGroup",
    declared: { RetentionInDays: 30, KmsKeyId: key, Tags: { team: "blue", app: "shop" } },
    adds: { "/LogGroupClass": "STANDARD" },
    edit: ["/RetentionInDays", 7],
  },
  {
    type: "AWS::RDS::DBInstance",
    declared: {
      Engine: "postgres",
      EngineVersion: "17",
      DBInstanceClass: "db.t4g.micro",
      AllocatedStorage: "20",
      MasterUsername: "shop",
      MasterUserPassword: "a-password",
    },
    forms: { "/EngineVersion": "ends:.2", "/MasterUserPassword": "never" },
    adds: {
      "/BackupRetentionPeriod": 1,
      "/MultiAZ": false,
      "/StorageType": "gp2",
      "/DBParameterGroupName": "default.postgres17",
    },
    edit: ["/DBInstanceClass", "db.t4g.small"],
  },
  {
    type: "AWS::S3::Bucket",
    declared: { VersioningConfiguration: { Status: "Enabled" } },
    adds: {
      "/PublicAccessBlockConfiguration": {
        BlockPublicAcls: true,
        BlockPublicPolicy: true,
        IgnorePublicAcls: true,
        RestrictPublicBuckets: true,
      },
      "/OwnershipControls": { Rules: [{ ObjectOwnership: "BucketOwnerEnforced" }] },
    },
    edit: ["/VersioningConfiguration/Status", "Suspended"],
  },
  {
    type: "AWS::SecretsManager::Secret",
    declared: { Name: "shop/database", Description: "of the shop", SecretString: "a-secret" },
    forms: { "/SecretString": "never" },
    edit: ["/Description", "of the bakery"],
  },
  {
    type: "AWS::SNS::Topic",
    declared: { TopicName: "orders", DisplayName: "Orders" },
    adds: { "/FifoTopic": false, "/TracingConfig": "PassThrough" },
    edit: ["/DisplayName", "Sales"],
  },
  {
    type: "AWS::SQS::Queue",
    declared: {
      VisibilityTimeout: 30,
      RedrivePolicy: { deadLetterTargetArn: "arn:aws:sqs:eu-central-1:1:dead", maxReceiveCount: 5 },
    },
    adds: { "/DelaySeconds": 0, "/MaximumMessageSize": 262_144, "/SqsManagedSseEnabled": true },
    edit: ["/VisibilityTimeout", 60],
  },
  {
    type: "AWS::SSM::Document",
    declared: { Content: { schemaVersion: "2.2", mainSteps: [] }, DocumentType: "Command", TargetType: "/" },
    adds: { "/DocumentFormat": "JSON", "/UpdateMethod": "Replace" },
    edit: ["/TargetType", "/AWS::EC2::Instance"],
  },
  {
    type: "AWS::StepFunctions::StateMachine",
    declared: { RoleArn: role, StateMachineName: "checkout", DefinitionString: "{}" },
    adds: { "/StateMachineType": "STANDARD", "/LoggingConfiguration": { Level: "OFF", IncludeExecutionData: false } },
    edit: ["/RoleArn", "arn:aws:iam::111122223333:role/another"],
  },
  {
    type: "AWS::Config::ConfigRule",
    declared: { Source: { Owner: "AWS", SourceIdentifier: "S3_BUCKET_VERSIONING_ENABLED" }, Description: "versions" },
    adds: { "/EvaluationModes": [{ Mode: "DETECTIVE" }] },
    edit: ["/Description", "all versions"],
  },
];
