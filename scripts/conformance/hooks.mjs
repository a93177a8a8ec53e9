// Loaded before the suite: from here on Node reads its TypeScript and its imports as Deno would.
import { register } from 'node:module'

register('./loader.mjs', import.meta.url, { data: JSON.parse(process.env.CONFORMANCE) })
