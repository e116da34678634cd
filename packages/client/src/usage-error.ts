/** The error of something typed that can't be understood, in the words of whoever typed it. */
export class UsageError extends RangeError {}
