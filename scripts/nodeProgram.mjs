/** How every program that Node runs is bundled: native parts stay packages of their own. */
export const nodeProgram = {
  bundle: true,
  format: 'esm',
  platform: 'node',
  target: 'node20',
  // Modules first: of those a bundle holds only what is used.
  mainFields: ['module', 'main'],
  external: [
    '@photostructure/sqlite',
    'secp256k1',
    'secp256k1/*',
    'bufferutil',
    'utf-8-validate',
    'undici',
  ],
  banner: {
    js: "import { createRequire as __createRequire } from 'node:module'; const require = __createRequire(import.meta.url);",
  },
  logLevel: 'warning',
}
