// Where the suite's imports come from under Node. Deno reads `npm:` and `jsr:` addresses and the import
// map in deno.json; here the same packages come from npm, and the few of Deno's own are made up for.
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

/** Packages of the other registry under their names at npm. */
const atNpm = {
  '@valibot/valibot': 'valibot',
  '@valibot/to-json-schema': '@valibot/to-json-schema',
  '@noble/hashes': '@noble/hashes',
  '@nktkas/rews': '@nktkas/rews',
}

/** Deno's own modules: files of this folder, or parts that the client's npm package carries. */
const ownModules = {
  '@std/assert': ['conformance', 'stdAssert.mjs'],
  '@std/dotenv': ['conformance', 'empty.mjs'],
  '@std/msgpack': ['package', 'msgpack'],
  '@std/async': ['package', 'async'],
}

/** npm would choose an older one for Node 20, which cannot take a ready TypeScript program. */
const exact = { 'ts-json-schema-generator': '2.5.2' }

/** Packages that this project has installed itself. */
const ofProject = ['viem']

/** `npm:viem@2/accounts` is the package, the version asked for and the path in it; null for others. */
export function readAddress(specifier) {
  const match = /^(npm|jsr):((?:@[^/@]+\/)?[^/@]+)(?:@([^/]+))?(\/.+)?$/.exec(specifier)
  if (match === null) return null
  return { name: match[2], version: match[3] ?? 'latest', path: match[4] ?? '' }
}

/** The import map of the checkout: names that stand for addresses. */
export function importMap(suite) {
  return JSON.parse(readFileSync(join(suite, 'deno.json'), 'utf8'))
}

/** What npm has to install, with the versions that the suite asks for. */
export function suitePackages(suite) {
  const { imports } = importMap(suite)
  const folder = join(suite, 'tests', 'api')
  const sources = readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith('.ts'))
    .map((file) => readFileSync(join(folder, file), 'utf8'))
  const named = sources.flatMap((text) => [...text.matchAll(/"((?:npm|jsr):[^"]+)"/g)])
  const addresses = [...Object.values(imports), ...named.map(([, address]) => address)]
    .map(readAddress)
    .filter((address) => address !== null && ownModules[address.name] === undefined)
    .filter(({ name }) => !ofProject.includes(name))
  const wanted = addresses.map(
    ({ name, version }) => `${atNpm[name] ?? name}@${exact[name] ?? version}`,
  )
  return [...new Set(wanted)].sort()
}

/** Where an address leads: a name in the installed packages or the project's, or one of `ownModules`. */
export function placeOf({ name, path }) {
  const own = ownModules[name]
  if (own !== undefined) return [own[0], own[0] === 'package' ? `${own[1]}${path}` : own[1]]
  if (ofProject.includes(name)) return ['project', `${name}${path}`]
  return ['npm', `${atNpm[name] ?? name}${path}`]
}
