/** The texts of the sign-in page. */
export const signInTexts = {
  lead: "See who has taken over which components, what has changed, and how to hand them back.",
  ended: "Your session has ended. Sign in again to continue where you left off.",
  again: "Sign in again to confirm that it's you. You then return to the same page.",
  name: "User name or e-mail",
  password: "Password",
  factor: "Code of your authenticator app, or a recovery code",
  startAgain: "Start again",
  byPasskey: "Sign in with a passkey",
  factorByPasskey: "Use a passkey",
  atProvider: "Sign in at your organization's provider",
  once: "That was a one-time password. Choose your own; a passphrase works well.",
  newPassword: "New password",
  rule: "At least 12 characters. Not your user name or a common password. It must not contain your first or last name, or your e-mail address.",
  code: "Code from the mail",
  passwordSet: "Your password is set. Sign in with it.",
  email: "E-mail address of your account",
  noAddress:
    "No code can be sent to an account that has only a user name. Ask the people who run this server for a one-time password.",
  codeSent:
    "If an active account has this address, a mail with a code is on its way. If the server sends no mail, ask its operators for the code: the mail is in its log.",
  buttons: {
    password: "Sign in",
    factor: "Continue",
    choose: "Set password and continue",
    forgot: "Send a code",
    code: "Set the password",
  },
  turns: {
    forgot: "Forgot your password?",
    code: "I have a code from a mail",
    password: "Sign in with a password",
  },
} as const;
