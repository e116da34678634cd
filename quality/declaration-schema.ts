import {
  type ComponentDeclaration,
  type LiveSystemDefinition,
  toOpenApi,
} from "../packages/core/src/contract/index.ts";

/** Where editors find the schema of declarations once the package is published. */
export const publishedAt = "https://unpkg.com/@liveplane/client/declaration.schema.json";

/** What an editor says of a live system's members. */
const ofLiveSystems: Readonly<Record<keyof LiveSystemDefinition, string>> = {
  name: "What people call the live system.",
  description: "What it is for.",
  environmentId: "The environment that it lies in.",
  resourceGroupId:
    "The resource group that it belongs to: whoever may do something in the group may do it with the live system.",
  components:
    "All resources of the live system. One that is left out is deleted, unless its deletionPolicy says Retain.",
};

/** What it says of a component's. */
const ofComponents: Readonly<Record<keyof ComponentDeclaration, string>> = {
  path: "Names the component within its live system. It keeps its resource for as long as it keeps the path.",
  movedFrom:
    "The path that the component had until now: it keeps its resource, which would be deleted and made anew otherwise.",
  provider: "The cloud: provider-a is Azure, provider-b is Google Cloud.",
  type: "What kind of resource it is, in its cloud's words.",
  resourceId: "The id of a resource that is there already, which becomes this component's. Left out: one is made.",
  resourceName: "What the resource is called in its cloud. Left out: a name is made of the path.",
  parameters: "What the resource should be like, in its cloud's words.",
  dependsOn: "Paths of components that come before this one.",
  overrideWith: "The path of a component that can carry tags, where this one can't: a person takes both over at once.",
  muteDrift: "Parameters whose drift is shown, and alarms nobody.",
  ignoreChanges:
    "Places in the parameters, as JSON Pointers, that are set when the resource is made and are the cloud's from then on.",
  unconditionalWrites:
    "Whether the resource is corrected though nothing in its cloud binds a write: a take-over at that very moment may be undone unseen.",
  deletionPolicy: "What becomes of the resource when the component is left out or the live system is deleted.",
};

interface ObjectSchema {
  readonly properties: Readonly<Record<string, object>>;
}

/** The JSON Schema of a declaration in a file, as editors take it: what a deploy takes as its body, and the live system's id. */
export function declarationSchema(): object {
  const { schemas } = toOpenApi().components;
  const [definition, environment] = [schemas.LiveSystemDefinition as unknown as ObjectSchema, schemas.EnvironmentId];
  const described = ({ properties }: ObjectSchema, words: Readonly<Record<string, string>>) =>
    Object.fromEntries(Object.entries(properties).map(([name, of]) => [name, { description: words[name], ...of }]));
  const { components, environmentId: _, ...members } = described(definition, ofLiveSystems);
  const { items, ...list } = components as unknown as { readonly items: ObjectSchema };
  return {
    $schema: "https://json-schema.org/draft/2020-12/schema",
    $id: publishedAt,
    title: "A live system, declared for liveplane",
    ...definition,
    properties: {
      $schema: { description: "Where the schema of this file lies, for editors.", type: "string" },
      id: {
        description: "The live system. The first deploy writes it into the file.",
        type: ["string", "null"],
        format: "uuid",
      },
      ...members,
      environmentId: { description: ofLiveSystems.environmentId, ...environment },
      components: { ...list, items: { ...items, properties: described(items, ofComponents) } },
    },
  };
}
