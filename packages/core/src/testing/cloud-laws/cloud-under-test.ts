import type { Cloud, CloudCall, CloudTarget, ProviderFailure } from "../../ports/cloud.ts";
import type { Json } from "../../ports/store.ts";

/** A fresh cloud, with what a law needs. */
export interface CloudUnderTest {
  readonly cloud: Cloud;
  /** Valid credentials. */
  readonly call: CloudCall;
  /** Credentials that the cloud rejects. */
  readonly rejected: CloudCall;
  readonly target: CloudTarget;
  /** Another subscription or project. */
  readonly otherTarget: CloudTarget;
  /** A type, and parameters for it. Laws about tags are skipped for a type that can't have any. */
  readonly type: string;
  readonly parameters: Readonly<Record<string, Json>>;
  /** What a plain name such as `first` is in names of the type. @default the same */
  readonly nameOf?: (name: string) => string;
  /** IDs of resources that are there before a law runs. @default none */
  readonly around?: readonly string[];
  /** The ID of a resource that never existed, if the cloud chooses IDs in a form of its own. @default "never-made" */
  readonly neverMade?: string;
  /** The place of a text in the parameters that may have any value. @default "/size" */
  readonly changing?: string;
  /** Types that its tables lack, if it asks about them: one that can be created, one that can't, and a similar name for that. */
  readonly lacking?: {
    readonly made: string;
    readonly taggable: boolean;
    readonly refused: string;
    readonly near: string;
  };
  /** What a person does in the vendor's own console. */
  readonly byHand: {
    /** Replaces all tags. For a type without tags: changes something else that the etag covers. */
    setTags(resourceId: string, tags: Readonly<Record<string, string>>): Promise<void>;
    /** Deletes the resource. */
    remove(resourceId: string): Promise<void>;
  };
  /** Runs something when the next write has been carried out, before its answer is sent. @default not possible */
  readonly beforeAnswer?: (deed: () => Promise<void>) => void;
  /** Makes calls of a kind fail, until called with `null`. */
  readonly break: (kind: "read" | "bulk" | "write", fault: "fail" | "throttle" | "lose-answer" | null) => Promise<void>;
  /** Makes writes slow, if the cloud has slow writes. @default writes are done when they answer */
  readonly slow?: {
    /** From now on, an accepted write runs until `finish`, and fails then if `fails` is given. */
    begin(fails?: ProviderFailure): Promise<void>;
    /** Lets running writes end; later writes finish at once. */
    finish(): Promise<void>;
    /** The same cloud as seen by another process. */
    elsewhere(): Cloud;
  };
  /** Lets bulk reads catch up. @default they never lag */
  readonly settle?: () => Promise<void>;
  /** Releases what the factory created. */
  readonly close?: () => Promise<void>;
}

/** A law that every cloud must keep: a sentence and a check. */
export interface CloudLaw {
  readonly name: string;
  /** It needs a type that can have tags. @default false */
  readonly ofTags?: true;
  readonly check: (under: CloudUnderTest) => Promise<void>;
}
