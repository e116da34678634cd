import { LiveplaneError } from "@liveplane/core/errors";
import type { CloudRefusal } from "../cloud-http/cloud-http.ts";

/** Codes of a 404 about the resource itself or its container: it doesn't exist. Other codes say nothing about it. */
const missing = words(`
  ResourceNotFound ResourceGroupNotFound ParentResourceNotFound NotFound
  ContainerNotFound VaultNotFound ServerNotFound DatabaseNotFound RoleAssignmentNotFound`);

/** Codes of a 401 or 403 about the caller. Others are about the request. */
const ofCredentials = words(`
  AuthorizationFailed LinkedAuthorizationFailed AuthenticationFailed AuthenticationFailedMissingToken
  InvalidAuthenticationToken InvalidAuthenticationTokenTenant InvalidAuthenticationTokenAudience
  ExpiredAuthenticationToken InvalidAuthenticationInfo`);

/** Another write of the same resource or its container is running. */
const busy = words(`
  AnotherOperationInProgress OperationInProgress OperationNotAllowedOnResourceInTransition ResourceInTransition
  ConflictingServerOperation ConflictingDatabaseOperation ServerIsBusy ProvisioningInProgress
  StorageAccountOperationInProgress ResourceGroupBeingDeleted`);

/** A 409 that would be repeated: somebody must do something first. */
const settled = words(`
  QuotaExceeded SkuNotAvailable ScopeLocked StorageAccountAlreadyTaken StorageAccountAlreadyExists
  VaultAlreadyExists ConflictError NameUnavailable AlreadyInUse ResourceGroupLocationMismatch InvalidResourceLocation
  PropertyChangeNotAllowed InUseSubnetCannotBeDeleted ReadOnlyDisabledSubscription RequestDisallowedByPolicy
  MissingSubscriptionRegistration SubscriptionNotRegistered`);

/** The service hasn't heard yet of something that another one made: a new identity takes it up to some minutes. */
const notYetKnown = words("PrincipalNotFound ServicePrincipalNotFound ReferencedResourceNotProvisioned");

const unregistered = words("MissingSubscriptionRegistration SubscriptionNotRegistered");

/** The error for a refusal of Azure Resource Manager; `null` to use the status. */
export function azureRefusal({ status, code, details }: CloudRefusal): LiveplaneError | null {
  const word = (code ?? "").toLowerCase();
  if (busy.has(word) && status !== 404)
    return new LiveplaneError("InvalidState", "Azure is still processing another change to this resource.", {
      details,
    });
  if (notYetKnown.has(word))
    return new LiveplaneError("ProviderError", "The service doesn't know a resource that this one refers to yet.", {
      retryable: true,
      details,
    });
  switch (status) {
    case 403:
      return code === null || ofCredentials.has(word) ? null : refused(status, { code, details });
    case 404:
      return missing.has(word) ? null : refused(status, { code, details });
    case 409:
      return settled.has(word) ? refused(status, { code, details }) : null;
    default:
      return null;
  }
}

/** The namespace that Azure says isn't registered in the subscription. */
export function isUnregistered({ details }: LiveplaneError): boolean {
  return unregistered.has(String(details.reason).toLowerCase());
}

function refused(status: number, { code, details }: Pick<CloudRefusal, "code" | "details">): LiveplaneError {
  return new LiveplaneError("ProviderError", `Azure refused with ${status}${code === null ? "" : ` ${code}`}.`, {
    retryable: false,
    details,
  });
}

function words(text: string): ReadonlySet<string> {
  return new Set(text.trim().toLowerCase().split(/\s+/));
}
