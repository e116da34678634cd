import type { Cloud, CloudCall, CloudTarget, ProviderFailure } from "../../ports/cloud.ts";
import type { Json } from "../../ports/store.ts";

/** A fresh cloud with what a law needs around it. */
export interface CloudUnderTest {
  readonly cloud: Cloud;
  /** Credentials that are good. */
  readonly call: CloudCall;
  /** Credentials that the cloud rejects. */
  readonly rejected: CloudCall;
  readonly target: CloudTarget;
  /** Another subscription or project. */
  readonly otherTarget: CloudTarget;
  /** A type that carries tags, and parameters for it. */
  readonly type: string;
  readonly parameters: Readonly<Record<string, Json>>;
  /** Where a text is in the parameters that may be any other. @default "/size" */
  readonly changing?: string;
  /** Types that its tables lack, where it asks of them: one that can be made, one that can't, and what is near that. */
  readonly lacking?: {
    readonly made: string;
    readonly taggable: boolean;
    readonly refused: string;
    readonly near: string;
  };
  /** What a person does at the vendor's own console. */
  readonly byHand: {
    /** Sets the whole map of tags. */
    setTags(resourceId: string, tags: Readonly<Record<string, string>>): Promise<void>;
    /** Deletes the resource. */
    remove(resourceId: string): Promise<void>;
  };
  /** Does something as soon as the next write is carried out, before its answer goes out. @default can't be arranged */
  readonly beforeAnswer?: (deed: () => Promise<void>) => void;
  /** Makes calls of a kind go wrong, until called with `null`. */
  readonly break: (kind: "read" | "bulk" | "write", fault: "fail" | "throttle" | "lose-answer" | null) => Promise<void>;
  /** Makes writes take their time, where the cloud has such. @default its writes are done when they answer */
  readonly slow?: {
    /** From here on a write that is accepted continues until it is finished, and fails then with these words, if any. */
    begin(fails?: ProviderFailure): Promise<void>;
    /** Lets what is under way come to its end; what is written from here on is done at once. */
    finish(): Promise<void>;
    /** The same cloud as another process has it. */
    elsewhere(): Cloud;
  };
  /** Lets bulk reads catch up. @default they never lag */
  readonly settle?: () => Promise<void>;
  /** Ends what the factory began. */
  readonly close?: () => Promise<void>;
}

/** A law: what every cloud keeps, as a sentence and a check. */
export interface CloudLaw {
  readonly name: string;
  readonly check: (under: CloudUnderTest) => Promise<void>;
}
