import {
  type ComponentDeclaration,
  type LiveSystemDefinition,
  toOpenApi,
} from "../packages/core/src/contract/index.ts";

/** Where editors find the schema of declarations once the package is published. */
export const publishedAt = "https://unpkg.com/@liveplane/client/declaration.schema.json";

/** The descriptions of a live system's members, for editors. */
const ofLiveSystems: Readonly<Record<keyof LiveSystemDefinition, string>> = {
  name: "The display name of the live system.",
  description: "The purpose of the live system.",
  environmentId: "The environment of the live system.",
  resourceGroupId: "The resource group of the live system. Permissions on the group also apply to the live system.",
  adopt:
    "With exact, components that name a resource adopt it only if nothing differs, and liveplane writes nothing but the management tag.",
  components:
    "All components of the live system. A component that you remove is deleted, unless its deletionPolicy is Retain.",
};

/** The descriptions of a component's members. */
const ofComponents: Readonly<Record<keyof ComponentDeclaration, string>> = {
  path: "The component's unique path in the live system. It keeps its resource as long as it keeps this path.",
  movedFrom:
    "The component's previous path. It then keeps its resource, which would otherwise be deleted and recreated.",
  provider: "The cloud: provider-a is Azure, provider-b is Google Cloud.",
  type: "The type of the resource, as its cloud names it.",
  resourceId: "The ID of an existing resource to adopt. If omitted, a resource is created.",
  resourceName: "The name of the resource in its cloud. If omitted, it is derived from the path.",
  parameters: "The desired properties of the resource, as its cloud defines them.",
  dependsOn: "Paths of components that are deployed before this one.",
  overrideWith: "For a type without tags: the path of a component with tags. A person takes over both at once.",
  muteDrift: "Parameters whose drift is shown but left out of alarms, reminders and the digest.",
  ignoreChanges:
    "JSON Pointers to places in the parameters that are set only when the resource is created, and then left to the cloud.",
  allowExtraItems:
    "JSON Pointers to lists in the parameters that may also contain items that the cloud or another tool adds.",
  unconditionalWrites:
    "Whether to correct the resource even if its cloud has no conditional writes. A write may then silently undo a concurrent take-over.",
  deletionPolicy: "What happens to the resource when the component is removed or the live system is deleted.",
};

interface ObjectSchema {
  readonly properties: Readonly<Record<string, object>>;
}

/** The JSON Schema of a declaration file, for editors: the body of a deploy, and the live system's ID. */
export function declarationSchema(): object {
  const { schemas } = toOpenApi().components;
  const [definition, environment] = [schemas.LiveSystemDefinition as unknown as ObjectSchema, schemas.EnvironmentId];
  const described = ({ properties }: ObjectSchema, words: Readonly<Record<string, string>>) =>
    Object.fromEntries(Object.entries(properties).map(([name, of]) => [name, { description: words[name], ...of }]));
  const { components, environmentId: _, ...members } = described(definition, ofLiveSystems);
  const { items, ...list } = components as unknown as { readonly items: ObjectSchema };
  return asTyped({
    $schema: "https://json-schema.org/draft/2020-12/schema",
    $id: publishedAt,
    title: "A live system, declared for liveplane",
    ...definition,
    properties: {
      $schema: { description: "The URL of this file's schema, for editors.", type: "string" },
      id: {
        description: "The ID of the live system. The first deploy writes it into the file.",
        type: ["string", "null"],
        format: "uuid",
      },
      ...members,
      environmentId: { description: ofLiveSystems.environmentId, ...environment },
      components: { ...list, items: { ...items, properties: described(items, ofComponents) } },
    },
  });
}

/**
 * In a file an owner may be `me` or an organization's name, which the command line replaces by an ID. A type of environment that the service
 * refuses isn't offered.
 */
function asTyped(schema: object): object {
  const description = "The owner's ID, the name of an organization, or me.";
  const owner = { description, type: "string", minLength: 1, examples: ["me"] };
  const types = ["Personal", "Organizational"];
  const inFile = (name: string, value: unknown) => {
    if (name === "ownerId") return owner;
    return name === "enum" && [value].flat().includes("Unknown") ? types : value;
  };
  return JSON.parse(JSON.stringify(schema, inFile));
}
