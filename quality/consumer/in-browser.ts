import { story } from "./story.js";

/** Like a page, it has only its bundle and the service's address. */
const { baseUrl, tell } = globalThis as unknown as { baseUrl: string; tell: (told: unknown) => void };
story(baseUrl).then(tell, (error: unknown) => tell(String(error)));
