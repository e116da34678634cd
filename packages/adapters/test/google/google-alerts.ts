import type { Body } from "./google-answers.ts";

/** An alert policy as it is kept: each of its conditions gets a name, unless it brings one that it was given before. */
export function withConditionNames(path: string, body: Body): Body {
  const own = /projects\/[^/]+\/alertPolicies\/[^/]+$/.exec(path)?.[0];
  if (own === undefined || !Array.isArray(body.conditions)) return body;
  const conditions = body.conditions as readonly Body[];
  const isKnown = ({ name }: Body) => String(name).startsWith(`${own}/conditions/`);
  if (conditions.every(isKnown)) return body;
  const named = conditions.map((one, at) =>
    isKnown(one) ? one : { ...one, name: `${own}/conditions/${++names + at}` },
  );
  return { ...body, conditions: named };
}

let names = 9_000;
