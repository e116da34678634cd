import { z } from "zod";

/** The building blocks of all schemas: each limit of the API stands here once. */

const controls = /[\u0000-\u001f\u007f-\u009f]/;
const controlsButLines = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f]/;
const nul = /\u0000/;

/** Refuses text that fails a test, as `Format`. */
function text(refused: RegExp, atLeast: number, atMost: number) {
  return z
    .string()
    .refine((value) => atLeast === 0 || value.length > 0, { message: "must not be empty", params: { code: "TooShort" }, abort: true })
    .refine((value) => value.isWellFormed() && !refused.test(value), { message: "must not hold control characters", params: { code: "Format" } })
    .refine((value) => lengthOf(value) <= atMost, { message: `must have at most ${atMost} characters`, params: { code: "TooLong" } });
}

/** Limits count code points. */
function lengthOf(value: string): number {
  let length = 0;
  for (const _ of value) length += 1;
  return length;
}

/** At most so many bytes of UTF-8. */
export function bytes(atMost: number) {
  return z
    .string()
    .refine((value) => value.isWellFormed() && !nul.test(value), { message: "must not hold NUL", params: { code: "Format" } })
    .refine((value) => value.length <= atMost && new TextEncoder().encode(value).length <= atMost, {
      message: `must have at most ${atMost} bytes`,
      params: { code: "TooLong" },
    });
}

export const uuid = z.guid().transform((value) => value.toLowerCase());
export const timestamp = z.iso.datetime();
export const environmentShortName = z.string().max(30).regex(/^[a-z0-9](?:[a-z0-9-]{0,28}[a-z0-9])?$/);
export const shortName = z.string().max(64).regex(/^[A-Za-z0-9](?:[A-Za-z0-9-]{0,62}[A-Za-z0-9])?$/);
export const displayName = text(controls, 1, 128);
export const description = text(controlsButLines, 0, 1024);
export const personName = text(controls, 1, 128);
export const region = text(controls, 1, 128);
export const line = text(controls, 1, 1024);
export const secretText = bytes(64 * 1024);
export const sshText = bytes(16 * 1024);
export const httpsUrl = z.string().max(1024).regex(/^https:\/\/[^\s/?#@]+(?:[/?#]\S*)?$/).refine((value) => !controls.test(value) && URL.canParse(value), { params: { code: "Format" } });
export const phoneNumber = z.string().regex(/^\+[1-9]\d{1,14}$/);
export const email = z.string().max(254).regex(/^[^\s@\u0000-\u001f\u007f-\u009f]{1,64}@[^\s@.\u0000-\u001f\u007f-\u009f]+(?:\.[^\s@.\u0000-\u001f\u007f-\u009f]+)+$/);
export const username = text(controls, 1, 128).regex(/^[^@]*$/);
export const password = z.string().refine((value) => value.isWellFormed() && !nul.test(value), { params: { code: "Format" } }).refine((value) => lengthOf(value) <= 1024, { params: { code: "TooLong" } });

/** A list whose elements occur once. */
export function unique<Item extends z.ZodType<string>>(item: Item, atMost: number) {
  return z
    .array(item)
    .max(atMost)
    .superRefine((values, context) => {
      const seen = new Set<string>();
      for (const [at, value] of values.entries()) {
        if (seen.has(value)) context.addIssue({ code: "custom", path: [at], message: "occurs twice", params: { code: "Duplicate" } });
        seen.add(value);
      }
    });
}

export const tags = z.record(text(controls, 1, 512), text(controls, 0, 256)).refine((map) => Object.keys(map).length <= 50, {
  message: "must have at most 50 entries",
  params: { code: "TooBig" },
});

/** Free-form parameters: any JSON, bounded in bytes; depth and keys are judged before any schema sees them. */
export const parameters = z.record(z.string(), z.json()).refine((map) => new TextEncoder().encode(JSON.stringify(map)).length <= 256 * 1024, {
  message: "must have at most 256 KiB",
  params: { code: "TooLong" },
});

export const environmentType = z.enum(["Unknown", "Personal", "Organizational"]);
export const environmentIdShape = z.strictObject({ type: environmentType, ownerId: uuid, shortName: environmentShortName });
export const groupIdShape = z.strictObject({ resourceGroupType: z.enum(["Personal", "Organizational"]), ownerId: uuid, shortName });
/** `Type/ownerId/shortName`. */
export const groupName = z
  .string()
  .max(128)
  .regex(/^(?:Personal|Organizational)\/[0-9a-fA-F]{8}(?:-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}\/[A-Za-z0-9](?:[A-Za-z0-9-]{0,62}[A-Za-z0-9])?$/);

/** What every list takes. */
export const pageQuery = {
  cursor: z.string().max(2048).exactOptional(),
  limit: z.coerce.number().int().min(1).exactOptional(),
};

/** What every versioned record shows. */
export const recordFields = {
  createdAt: z.string(),
  createdBy: z.string(),
  updatedAt: z.string(),
  updatedBy: z.string(),
  version: z.string(),
};
