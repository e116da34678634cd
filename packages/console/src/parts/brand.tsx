/** The name beside its logo: a tag with its string off. */
export function Brand() {
  return (
    <>
      <svg class="sign" viewBox="0 0 32 32" aria-hidden="true">
        <rect width="32" height="32" rx="7" />
        <path d="M8 9h10l6 7-6 7H8z" />
        <circle cx="13" cy="16" r="2.2" />
      </svg>
      liveplane
    </>
  );
}
