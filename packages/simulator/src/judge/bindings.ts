import type { Evidence } from "./evidence.ts";
import type { StoredComponent, Wanted } from "./facts.ts";

/** Whether a component can't be corrected because nothing binds its writes, and it doesn't accept unbound ones. */
export function isUnbound(component: StoredComponent, declared: Wanted, evidence: Evidence): boolean {
  const there = evidence.truthOf(component);
  if (there === null || declared.unconditionalWrites) return false;
  const cloud = evidence.cloudOf(component);
  const { properties, tags } = cloud.bindingsOf(component.type);
  const { names } = evidence.compared(declared, there, component);
  if (there.failed !== undefined && properties === "none") return true;
  // What the cloud never shows differs if the agent says so: nobody else knows what it wrote last.
  const unseen = cloud.unseenOf?.(component.type) ?? [];
  const told = Object.keys(component.observed.drift).filter((name) => unseen.includes(name));
  return [...names, ...told].some((name) => (name === cloud.tagParameter ? tags : properties) === "none");
}
