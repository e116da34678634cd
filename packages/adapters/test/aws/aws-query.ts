import type { JsonObject } from "@liveplane/core/clouds";

type Value = JsonObject[string];

/** Services that are asked with forms and answer in XML, with the namespaces of their answers. */
export const queryServices: Readonly<Record<string, string>> = {
  cloudformation: "http://cloudformation.amazonaws.com/doc/2010-05-15/",
  iam: "https://iam.amazonaws.com/doc/2010-05-08/",
  sts: "https://sts.amazonaws.com/doc/2011-06-15/",
};

/** The fields of a form as one object: `Names.member.1` is the first of a list. */
export function formIn(text: string): JsonObject {
  const form: Record<string, Value> = {};
  for (const [path, value] of new URLSearchParams(text)) put(form, path.split("."), value);
  return form;
}

function put(into: Record<string, Value>, [name = "", ...rest]: readonly string[], value: string): void {
  if (rest.length === 0) {
    into[name] = value;
    return;
  }
  const isItem = rest[0] === "member";
  into[name] ??= isItem ? [] : {};
  const held = into[name] as Record<string, Value>;
  if (isItem) put(held, [String(Number(rest[1]) - 1), ...rest.slice(2)], value);
  else put(held, rest, value);
}

/** A result as these services write it. */
export function xmlResult(service: string, operation: string, result: JsonObject): string {
  const inner = `${element(`${operation}Result`, result)}<ResponseMetadata><RequestId>one</RequestId></ResponseMetadata>`;
  return `<${operation}Response xmlns="${queryServices[service]}">\n  ${inner}\n</${operation}Response>\n`;
}

export function xmlRefusal(service: string, code: string, message: string): string {
  const error = element("Error", { Type: "Sender", Code: code, Message: message });
  return `<ErrorResponse xmlns="${queryServices[service]}">\n  ${error}\n  <RequestId>one</RequestId>\n</ErrorResponse>\n`;
}

function element(name: string, value: Value): string {
  if (Array.isArray(value)) return `<${name}>${value.map((item) => element("member", item)).join("\n")}</${name}>`;
  if (typeof value !== "object" || value === null) return `<${name}>${escaped(String(value))}</${name}>`;
  const members = Object.entries(value).map(([member, own]) => element(member, own));
  return members.length === 0 ? `<${name}/>` : `<${name}>\n${members.join("\n")}\n</${name}>`;
}

const entities: Readonly<Record<string, string>> = {
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
  '"': "&quot;",
  "'": "&#39;",
};

function escaped(text: string): string {
  return text.replaceAll(/[&<>"']/g, (character) => entities[character] ?? "");
}

/** The caller's role, whose path its session doesn't show. */
export const role = { name: "liveplane", path: "/hosts/", arn: "arn:aws:iam::111122223333:role/hosts/liveplane" };

/** IAM, and the registry of types: what a caller may do, and what a type's handlers do. */
export function awsRightsDouble({ pageSize = 3 } = {}) {
  const denied = new Map<string, JsonObject>();
  const schemas = new Map<string, readonly string[]>();

  const operations: Readonly<Record<string, (input: JsonObject) => JsonObject | { readonly missing: string }>> = {
    GetRole: ({ RoleName }) => {
      if (RoleName !== role.name) return { missing: `The role with name ${RoleName} cannot be found.` };
      const CreateDate = "2026-11-24T12:00:00Z";
      const own = { Path: role.path, RoleName: role.name, RoleId: "AROA", Arn: role.arn, CreateDate };
      return { Role: { ...own, AssumeRolePolicyDocument: "%7B%7D" } };
    },
    SimulatePrincipalPolicy({ PolicySourceArn, ActionNames, Marker }) {
      if (PolicySourceArn !== role.arn) return { missing: `The entity ${PolicySourceArn} cannot be found.` };
      const actions = ActionNames as string[];
      const from = Number(Marker ?? 0);
      const EvaluationResults = actions.slice(from, from + pageSize).map((EvalActionName) => ({
        EvalActionName,
        EvalResourceName: "*",
        EvalDecision: denied.has(EvalActionName) ? "implicitDeny" : "allowed",
        MatchedStatements: [],
        MissingContextValues: [],
        ...denied.get(EvalActionName),
      }));
      const end = from + pageSize;
      return {
        EvaluationResults,
        ...(end < actions.length ? { IsTruncated: true, Marker: `${end}` } : { IsTruncated: false }),
      };
    },
    DescribeType({ TypeName }) {
      const permissions = schemas.get(String(TypeName));
      if (permissions === undefined) return { missing: `The type '${TypeName}' cannot be found.` };
      // A schema is JSON with line ends, quotes and other signs that XML escapes.
      const Schema = JSON.stringify(
        { typeName: TypeName, description: "<a> & 'b'", handlers: { create: { permissions }, read: { permissions } } },
        null,
        2,
      );
      return { Type: "RESOURCE", TypeName: String(TypeName), Schema };
    },
  };

  return {
    operations,
    /** What the caller may not do. */
    deny: (action: string, because: JsonObject = {}) => void denied.set(action, because),
    /** What a type's handlers do. */
    describe: (type: string, permissions: readonly string[]) => void schemas.set(type, permissions),
  };
}
