/** The texts of the page that signs in a program. */
export const programTexts = {
  here: (port: string) => `A program on this computer, at port ${port}, asks to sign in as you.`,
  elsewhere: "A program on another computer asks to sign in as you. You then copy a code to it.",
  asks: (name: string) =>
    `It could do everything that ${name} can do. If you didn't just start liveplane login yourself, close this page.`,
  approve: "Sign it in",
  take: "Copy this code to your terminal",
  keep: "It works once, within ten minutes. Never give it to anybody who asks for it: they would be signed in as you.",
  broken: "This address is incomplete. Run liveplane login --browser again.",
} as const;
