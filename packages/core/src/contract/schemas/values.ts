import * as z from "zod";
import type { IdOf } from "../row.ts";
import { byteLength, isPlainText, type JsonValue, judgeParameters } from "./free-form.ts";

/** The building blocks of all schemas: each limit of the API is defined here once. */

const controls = /\p{Cc}/u;
const controlsButLines = /(?![\n\t])\p{Cc}/u;
const invisible = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/u;
/** The forbidden characters as a pattern that every JSON Schema validator understands. */
const patterns: ReadonlyMap<RegExp, string> = new Map([
  [controls, "^[^\\u0000-\\u001f\\u007f-\\u009f]*$"],
  [controlsButLines, "^[^\\u0000-\\u0008\\u000b-\\u001f\\u007f-\\u009f]*$"],
]);
const withoutThem = "must be valid Unicode text without";
const refusals: ReadonlyMap<RegExp, string> = new Map([
  [controls, `${withoutThem} line breaks, tabs and other control characters`],
  [controlsButLines, `${withoutThem} control characters; line breaks and tabs are allowed`],
  [invisible, `${withoutThem} line breaks and invisible characters`],
]);
/** What `isPlainText` asks for. */
const plainText = `${withoutThem} the character NUL`;

const noNul = "^[^\\u0000]*$";

/** Text of a length in code points, without the refused characters. */
function text(refused: RegExp, atLeast: number, atMost: number) {
  return z
    .string()
    .refine((value) => value.length >= atLeast, {
      message: "must not be empty",
      params: { code: "TooShort" },
      abort: true,
    })
    .refine((value) => value.isWellFormed() && !refused.test(value), {
      message: refusals.get(refused) ?? plainText,
      params: { code: "Format" },
    })
    .refine((value) => lengthOf(value) <= atMost, {
      message: `must have at most ${atMost} characters`,
      params: { code: "TooLong" },
    })
    .meta({
      ...(atLeast > 0 && { minLength: atLeast }),
      maxLength: atMost,
      pattern: patterns.get(refused) ?? patterns.get(controls),
    });
}

/** Counts code points, as every text limit does. */
function lengthOf(value: string): number {
  let length = 0;
  for (const _ of value) length += 1;
  return length;
}

/** Text of a length in UTF-8 bytes, with any character but NUL. */
function bytes(atMost: number) {
  return z
    .string()
    .refine(isPlainText, { message: plainText, params: { code: "Format" } })
    .refine((value) => value.length <= atMost && byteLength(value) <= atMost, {
      message: `must have at most ${atMost} bytes`,
      params: { code: "TooLong" },
    })
    .meta({ maxLength: atMost, pattern: noNul });
}

/** An ID in the form it is read back. Most arrive this way and needn't be parsed. */
export const canonicalUuid = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

/** An ID. Upper case is accepted and read back in lower case. */
export const uuid = z
  .guid()
  .meta({ examples: ["3f0c4d1e-8a57-4b62-9d1f-6c2e5a7b9041"] })
  .transform((value) => value.toLowerCase());

/** An RFC 3339 instant in any time zone, read back in UTC. */
export const timestamp = z.iso
  .datetime({ offset: true })
  .refine((value) => !Number.isNaN(Date.parse(value)), {
    message: "must be a date and time with a time zone, such as 2026-01-31T09:00:00Z",
    params: { code: "Format" },
    abort: true,
  })
  .transform((value) => new Date(value).toISOString())
  .meta({ examples: ["2027-01-31T09:30:00.000Z"] });

export const environmentNamePattern = /^[a-z0-9](?:[a-z0-9-]{0,28}[a-z0-9])?$/;
export const namePattern = /^[A-Za-z0-9](?:[A-Za-z0-9-]{0,62}[A-Za-z0-9])?$/;

export const environmentShortName = z
  .string()
  .max(30)
  .regex(
    environmentNamePattern,
    "must have only lower-case letters, digits and hyphens, and no hyphen at either end, such as staging",
  )
  .meta({ examples: ["staging"] });
/** A project by its ID. Its number would be a second name for it, and could give its resources a second owner. */
export const projectPattern = /^[0-9]*[A-Za-z][A-Za-z0-9._:-]*$/;
export const projectName = z
  .string()
  .max(128)
  .regex(projectPattern, "must be a project's ID, such as my-project, and not its number")
  .meta({ examples: ["my-project"] });
export const shortName = z
  .string()
  .max(64)
  .regex(namePattern, "must have only letters, digits and hyphens, and no hyphen at either end, such as main")
  .meta({ examples: ["main"] });

/** Characters that draw nothing without being spaces: fillers, variation selectors, the empty Braille pattern. */
const blank = /^[\p{Z}\p{Default_Ignorable_Code_Point}\u2800]*$/u;

/** A display name: visible, and without characters that reorder or hide the text around it. */
function shownName(atLeast: number) {
  return text(invisible, atLeast, 128).refine((value) => value === "" || !blank.test(value), {
    message: "must contain a visible character",
    params: { code: "Format" },
  });
}
export const displayName = shownName(1);
/** An optional display name; an empty text clears it. */
export const nameOrNone = shownName(0)
  .nullable()
  .transform((value) => (value === "" ? null : value));
export const description = text(controlsButLines, 0, 1024);
export const region = text(controls, 1, 128);
export const line = text(controls, 1, 1024);
export const lineOrNone = text(controls, 0, 1024);
export const tokenText = text(controls, 1, 8192);
export const scopeText = text(controls, 0, 256);
/** Ten segments of 64 characters with separators. */
export const componentPath = text(controls, 1, 649).meta({ examples: ["network/vnet"] });
export const providerName = text(controls, 1, 64).meta({ examples: ["provider-a"] });
export const typeName = text(controls, 1, 256).meta({ examples: ["Microsoft.Network/virtualNetworks@2024-05-01"] });
export const parameterName = text(controls, 1, 256).meta({ examples: ["addressSpace"] });
export const secretText = bytes(64 * 1024).meta({ writeOnly: true, format: "password" });
export const sshText = bytes(16 * 1024).meta({ writeOnly: true, format: "password" });

export const httpsUrl = z
  .string()
  .max(1024)
  .regex(
    /^https:\/\/[^\s/?#@]+(?:[/?#]\S*)?$/,
    "must be an https URL without a user name and a password, such as https://example.com/icon.png",
  )
  .refine((value) => !controls.test(value) && URL.canParse(value), {
    message: "must be an https URL without a user name and a password, such as https://example.com/icon.png",
    params: { code: "Format" },
  })
  .meta({ format: "uri", examples: ["https://example.com/icon.png"] });

/** A webhook's address. It may hold a secret, so it is never shown again. The host decides which addresses are allowed. */
export const webhookUrl = z
  .string()
  .max(2048)
  .regex(
    /^https?:\/\/[^\s/?#@]+(?:[/?][^\s#]*)?$/,
    "must be an https URL without a user name, a password and #, such as https://example.com/liveplane",
  )
  .refine((value) => !controls.test(value) && URL.canParse(value), {
    message: "must be an https URL without a user name, a password and #, such as https://example.com/liveplane",
    params: { code: "Format" },
  })
  .meta({ format: "uri", writeOnly: true, examples: ["https://example.com/liveplane"] });

/** An icon's address; an empty text clears it. */
const icon = z.preprocess((value) => (value === "" ? null : value), httpsUrl.nullable());
/** An icon. `iconUrl` is an alias that existing clients send. */
export const iconFields = { icon: icon.exactOptional(), iconUrl: icon.exactOptional() };

/** Reads `iconUrl` as `icon`. */
export function withIcon<Body extends { readonly icon?: string | null; readonly iconUrl?: string | null }>({
  iconUrl,
  ...body
}: Body): Omit<Body, "iconUrl"> {
  return iconUrl === undefined || body.icon !== undefined ? body : { ...body, icon: iconUrl };
}

/** An E.164 number. */
export const phoneNumber = z
  .string()
  .regex(/^\+[1-9]\d{1,14}$/, "must be a phone number with its country code, such as +41445551234")
  .meta({ examples: ["+41445551234"] });

/**
 * An e-mail address by the HTML standard's grammar, which is ASCII: no two addresses that look or compare alike are different mailboxes.
 */
export const email = z
  .string()
  .max(254)
  .regex(
    /^[\w.!#$%&'*+/=?^`{|}~-]+@[a-zA-Z0-9](?:[a-zA-Z0-9-]{0,61}[a-zA-Z0-9])?(?:\.[a-zA-Z0-9](?:[a-zA-Z0-9-]{0,61}[a-zA-Z0-9])?)*$/,
    "must be an e-mail address, such as ada@example.com",
  )
  .transform((value) => value.toLowerCase())
  .meta({ format: "email", examples: ["ada@example.com"] });

/** A user name. No two look alike unless their letters are the same. `@` is reserved for e-mail addresses. */
export const username = z
  .string()
  .max(128)
  .regex(
    /^[A-Za-z0-9][A-Za-z0-9._-]*$/,
    "must have only letters, digits, dots, underscores and hyphens, and begin with a letter or digit, such as ada",
  )
  .meta({ examples: ["ada"] });

/** Any text. The account service checks new passwords by its own rules and codes. */
export const newPassword = z
  .string()
  .refine(isPlainText, { message: plainText, params: { code: "Format" } })
  .meta({ writeOnly: true, format: "password", pattern: noNul });

/** A password to verify. One longer than any accepted password can't be right. */
export const password = newPassword
  .refine((value) => lengthOf(value) <= 1024, {
    message: "must have at most 1024 characters",
    params: { code: "TooLong" },
  })
  .meta({ writeOnly: true, format: "password", maxLength: 1024, pattern: noNul });

/** A list without duplicates; `same` gives what identifies an element. */
export function unique<Item extends z.ZodType<string>>(item: Item, atMost: number, same = (value: string) => value) {
  return z
    .array(item)
    .max(atMost)
    .superRefine((values, context) => {
      const seen = new Set<string>();
      for (const [at, value] of values.entries()) {
        const name = same(value);
        if (seen.has(name))
          context.addIssue({ code: "custom", path: [at], message: "occurs twice", params: { code: "Duplicate" } });
        seen.add(name);
      }
    })
    .meta({ uniqueItems: true });
}

/** Folds what is compared without case. */
export const withoutCase = (value: string): string => value.toLowerCase();

export const tags = z
  .record(text(controls, 1, 512), text(controls, 0, 256))
  .refine((map) => Object.keys(map).length <= 50, {
    message: "must have at most 50 tags",
    params: { code: "TooBig" },
  })
  .meta({ maxProperties: 50 });

/** Any JSON value. */
export const jsonValue = z.custom<JsonValue>((value) => value !== undefined);
/** A map of names to any JSON value. */
export const jsonMap = z.record(z.string(), jsonValue);
/** Free-form parameters: any JSON, bounded in bytes and depth. */
export const parameters = jsonMap.superRefine(judgeParameters);

export const environmentType = z.enum(["Unknown", "Personal", "Organizational"]);
const resourceGroupType = z.enum(["Personal", "Organizational"]);
export const environmentIdShape = z.strictObject({
  type: environmentType,
  ownerId: uuid,
  shortName: environmentShortName,
});
export const groupIdShape = z.strictObject({ resourceGroupType, ownerId: uuid, shortName });

const guid = "[0-9a-fA-F]{8}(?:-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}";

/** A provider A tenant: its ID, or `common`. */
export const tenantName = z
  .string()
  .regex(new RegExp(`^(?:common|${guid})$`), "must be a tenant's ID, which is a UUID, or common")
  .meta({ anyOf: [{ format: "uuid" }, { const: "common" }] })
  .transform(withoutCase);

/** `Type/ownerId/shortName` matching the pattern; the owner is read back in lower case. */
function fullName(pattern: RegExp, example: string) {
  return z
    .string()
    .max(128)
    .regex(
      new RegExp(`^(?:Personal|Organizational)/${guid}/${pattern.source.slice(1)}`),
      "must be a type, an owner's ID and a short name, such as Organizational/3f0c4d1e-8a57-4b62-9d1f-6c2e5a7b9041/main",
    )
    .transform((value) => value.replace(/\/[^/]+\//, withoutCase))
    .meta({ examples: [`Organizational/3f0c4d1e-8a57-4b62-9d1f-6c2e5a7b9041/${example}`] });
}

/** A resource group: `Type/ownerId/shortName`. */
export const groupName = fullName(namePattern, "main");
/** An environment: `Type/ownerId/shortName`. */
export const environmentFullName = fullName(environmentNamePattern, "staging");

/** A whole number, also as a query string. */
export function queryInteger(atLeast: number) {
  const read = (value: unknown) => (typeof value === "string" && /^\d{1,15}$/.test(value) ? Number(value) : value);
  return z.preprocess(read, z.number().int().min(atLeast));
}

/** A boolean, also as a query string. */
export const queryFlag = z.preprocess(
  (value) => (value === "true" || value === "false" ? value === "true" : value),
  z.boolean(),
);

/** Several values, given by repeating the parameter. */
export function repeated<Item extends z.ZodType>(item: Item) {
  return z.preprocess(
    (value) => (value === undefined || Array.isArray(value) ? value : [value]),
    z.array(item).max(100),
  );
}

/** The query members of every list. */
export const pageQuery = {
  cursor: z.string().max(2048).exactOptional(),
  limit: queryInteger(1).exactOptional(),
};

/** An instant as records show it: RFC 3339 in UTC. */
export const instant = z.string().meta({ format: "date-time" });

/** The ID of one kind of record, which the compiler tells from other kinds. */
export function shownId<Kind extends string>(_kind: Kind): z.ZodType<IdOf<Kind>> {
  return z.string() as z.ZodType<IdOf<Kind>>;
}

/** A uuid as records show it. */
export const shownUuid = z.string().meta({ format: "uuid" });

/** An environment's identifier as records show it. */
export const shownEnvironmentId = z.object({ type: environmentType, ownerId: shownUuid, shortName: z.string() });
/** A resource group's identifier as records show it. */
export const shownGroupId = z.object({ resourceGroupType, ownerId: shownUuid, shortName: z.string() });

/** The members of every versioned record, except who created and changed it. */
export const datedFields = { createdAt: instant, updatedAt: instant, version: z.string() };
/** The members of every versioned record. */
export const recordFields = { ...datedFields, createdBy: z.string(), updatedBy: z.string() };
/** The same for records of the account service: only people change those, so the IDs are uuids. */
export const recordFieldsById = { ...datedFields, createdBy: shownUuid, updatedBy: shownUuid };

/** Marks an upsert's answer if the record was created. */
export const madeByUpsert = { made: z.literal(true).exactOptional() };
