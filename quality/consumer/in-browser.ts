import { story } from "./story.js";

/** What a page would do: it has nothing but its bundle and the address of the service. */
const { baseUrl, tell } = globalThis as unknown as { baseUrl: string; tell: (told: unknown) => void };
story(baseUrl).then(tell, (error: unknown) => tell(String(error)));
