/** A user name or an address as it is compared. */
export function signInName(name: string): string {
  return name.normalize("NFC").toLowerCase();
}
