// Builds everything that runs: the command line in one bundled file, the laboratory, the server for
// agents and what only a fleet needs in three others, the simulator for programs that start it themselves, the curve that they all
// load where the native one is missing, the reading client, the monitor page.
//
//   --types      also checks the types and lays out those of the client and the simulator, for a package
//   --if-stale   does nothing when every output is there and newer than src, lab and the lock file
import { spawnSync } from 'node:child_process'
import {
  chmodSync,
  existsSync,
  mkdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { dirname, join, relative, resolve } from 'node:path'
import { buildPage } from './build-page.mjs'
import { newerSource } from './newerSource.cjs'
import { nodeProgram } from './nodeProgram.mjs'
import { writeNotices } from './notices.mjs'

const root = resolve(import.meta.dirname, '..')
const dist = join(root, 'dist')
const bundle = join(dist, 'guard.mjs')
const labBundle = join(dist, 'lab.mjs')
const simulatorBundle = join(dist, 'simulator.mjs')
const mcpBundle = join(dist, 'mcp.mjs')
const fleetBundle = join(dist, 'fleet.mjs')
const doctorBundle = join(dist, 'doctorVenue.mjs')
const curveBundle = join(dist, 'curve.mjs')

if (process.argv.includes('--if-stale') && !isStale()) process.exit(0)

const started = performance.now()
if (process.argv.includes('--types')) {
  step('types', () => run(join(root, 'node_modules', 'typescript', 'bin', 'tsc'), ['-b']))
  layOutTypes('client/client.d.ts', 'lab/sim/packagedSimulator.d.ts')
}
const { build, transform } = await import('esbuild')
const common = {
  bundle: true,
  format: 'esm',
  legalComments: 'none',
  logLevel: 'warning',
  metafile: true,
  absWorkingDir: root,
  // Names stay, so that a stack trace in a report can be read.
  minifyWhitespace: true,
  minifySyntax: true,
  // Letters as they are, not as escapes of six bytes each.
  charset: 'utf8',
}
/** Whoever loads the curve in WASM, what a fleet needs, what serves agents, or what examines the venue, while it runs finds it beside its own file. */
const apart = {
  name: 'apart',
  setup: ({ onResolve }) => {
    onResolve({ filter: /^\.\/wasm\.ts$/ }, () => ({ path: './curve.mjs', external: true }))
    onResolve({ filter: /\/fleet\/fleetProgram\.ts$/ }, ({ kind }) =>
      kind === 'dynamic-import' ? { path: './fleet.mjs', external: true } : null,
    )
    onResolve({ filter: /\/mcp\/serveMcp\.ts$/ }, ({ kind }) =>
      kind === 'dynamic-import' ? { path: './mcp.mjs', external: true } : null,
    )
    onResolve({ filter: /\/doctor\/venue\/venueReport\.ts$/ }, ({ kind }) =>
      kind === 'dynamic-import' ? { path: './doctorVenue.mjs', external: true } : null,
    )
  },
}
/** Names inside other people's modules are shortened: nobody reads those in a stack trace. */
const othersShort = {
  name: 'others short',
  setup: ({ onLoad }) => {
    onLoad({ filter: /[\\/]node_modules[\\/].*\.[cm]?js$/ }, async ({ path }) => {
      const { code } = await transform(readFileSync(path, 'utf8'), {
        ...{ loader: 'js', minifyIdentifiers: true, charset: 'utf8', legalComments: 'none' },
      })
      return { contents: code, loader: 'js' }
    })
    // Nor are names missed in commands, tables, texts, figures and events, on the way of a request, in the laboratory and in the fleet's and the agents' programs.
    onLoad(
      {
        filter:
          /[\\/](src[\\/](core[\\/](events|rules|protocol|account|values|venueLimits)|alerts|cli|config|engine[\\/](view|request)|fleet|host|mcp|gateway[\\/](events|info|schema|metrics))|lab)[\\/].*\.ts$/,
      },
      async ({ path }) => {
        const { code } = await transform(readFileSync(path, 'utf8'), {
          ...{ loader: 'ts', minifyIdentifiers: true, charset: 'utf8', legalComments: 'none' },
        })
        return { contents: code, loader: 'js' }
      },
    )
  },
}
const curve = await step('curve', () => buildProgram(join('src', 'crypto', 'wasm.ts'), curveBundle))
const lab = await step('laboratory', () => buildProgram(join('lab', 'main.ts'), labBundle))
const simulator = await step('simulator', () =>
  buildProgram(join('lab', 'sim', 'packagedSimulator.ts'), simulatorBundle),
)
const mcp = await step('server for agents', () =>
  buildProgram(join('src', 'mcp', 'serveMcp.ts'), mcpBundle),
)
const fleet = await step('fleet', () =>
  buildProgram(join('src', 'fleet', 'fleetProgram.ts'), fleetBundle),
)
const doctor = await step('examination of the venue', () =>
  buildProgram(join('src', 'cli', 'doctor', 'venue', 'venueReport.ts'), doctorBundle),
)
const program = await step('command line', () =>
  buildProgram(join('src', 'cli', 'main.ts'), bundle),
)
const client = await step('client', () =>
  build({
    ...common,
    entryPoints: [join(root, 'src', 'client', 'client.ts')],
    outfile: join(dist, 'client.js'),
    platform: 'neutral',
    target: 'es2022',
  }),
)
const page = await step('monitor page', () => buildPage(build))
writeNotices(
  [program, lab, simulator, mcp, fleet, doctor, curve, client, page].map(
    ({ metafile }) => metafile,
  ),
  root,
  dist,
)
writeInputs({
  'guard.mjs': program,
  'lab.mjs': lab,
  'simulator.mjs': simulator,
  'mcp.mjs': mcp,
  'fleet.mjs': fleet,
  'doctorVenue.mjs': doctor,
  'curve.mjs': curve,
})
chmodSync(join(root, 'bin', 'guard'), 0o755)
console.log(`built in ${((performance.now() - started) / 1000).toFixed(1)} s`)

async function buildProgram(entry, outfile) {
  const entryPoints = [join(root, entry)]
  const plugins = [apart, othersShort]
  const made = await build({
    ...{ ...nodeProgram, ...common, entryPoints, plugins },
    outfile: `${outfile}.next`,
  })
  // In one step: a program that starts meanwhile finds the old build or the new one.
  renameSync(`${outfile}.next`, outfile)
  return made
}

/** Which files went into each program; a test reads there that no laboratory is in Guard's. */
function writeInputs(programs) {
  const inputs = Object.entries(programs).map(([name, { metafile }]) => [
    name,
    Object.keys(metafile.inputs).sort(),
  ])
  writeFileSync(
    join(dist, 'inputs.json'),
    `${JSON.stringify(Object.fromEntries(inputs), null, 1)}\n`,
  )
}

/** Whether a source is newer than the build. */
function isStale() {
  const others = [
    'client.js',
    'inputs.json',
    'monitor/page.js',
    'monitor/fleet.js',
    'THIRD-PARTY.txt',
  ]
  const made = [
    bundle,
    labBundle,
    simulatorBundle,
    mcpBundle,
    fleetBundle,
    doctorBundle,
    curveBundle,
    ...others.map((file) => join(dist, file)),
  ]
  if (!made.every((file) => existsSync(file))) return true
  return newerSource(root, bundle) !== null
}

/**
 * The declarations that entries need, copied to dist/types as a package's own files name each other.
 * Guard's lie in dist itself, the laboratory's in dist/lab; there they still name `src`.
 */
function layOutTypes(...entries) {
  const target = join(dist, 'types')
  rmSync(target, { recursive: true, force: true })
  const wanted = entries.map((entry) => join(dist, entry))
  const seen = new Set()
  while (wanted.length > 0) {
    const file = wanted.pop()
    if (seen.has(file)) continue
    seen.add(file)
    const text = readFileSync(file, 'utf8').replace(/^\/\/# sourceMappingURL=.*\n?/m, '')
    const moved = text.replace(
      /(from |import\()(['"])(\.[^'"]+)\.ts\2/g,
      (_all, before, quote, path) => {
        const meant = join(dirname(file), path).replace(join(dist, 'src'), dist)
        wanted.push(`${meant}.d.ts`)
        const named = relative(dirname(file), meant).replaceAll('\\', '/')
        const near = named.startsWith('.') ? named : `./${named}`
        return `${before}${quote}${near}.js${quote}`
      },
    )
    const to = join(target, relative(dist, file))
    mkdirSync(dirname(to), { recursive: true })
    writeFileSync(to, moved)
  }
}

function step(name, task) {
  process.stdout.write(`building ${name}\n`)
  return task()
}

function run(script, args) {
  const { status } = spawnSync(process.execPath, [script, ...args], { cwd: root, stdio: 'inherit' })
  if (status !== 0) process.exit(status ?? 1)
}
