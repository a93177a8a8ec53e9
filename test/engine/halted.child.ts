import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { startGuard } from '../../src/cli/assembly/startGuard.ts'
import { readConfig } from '../../src/config/readConfig.ts'
import { parsePrivateKey } from '../../src/config/privateKey.ts'
import { millis } from '../../src/core/values/millis.ts'
import { killFileIn } from '../../src/system/killFile.ts'
import type { KillFile, VenueHttp } from '../../src/engine/ports.ts'
import type { IoFile, JournalIo } from '../../src/journal/journalIo.ts'
import { nodeIo } from '../../src/journal/nodeIo.ts'
import { systemClock } from '../../src/system/systemClock.ts'
import type { ChildSetup, Halt } from './halted.fixture.ts'

/** Guard as it runs for people, put together to come to a halt at one step of its work. */
const setup = JSON.parse(process.argv[2] ?? '') as ChildSetup

/** Says where it halts; whoever started it ends it there. It goes no further by itself. */
async function halt(what: string): Promise<never> {
  process.stdout.write(`AT ${what}\n`)
  return await new Promise<never>(() => undefined)
}

/** Returns once the disk that this path is on answers. */
async function answering(path: string): Promise<void> {
  if (!setup.hanging.some((folder) => path.startsWith(`${folder}/`))) return
  while (existsSync(join(setup.home, 'hangs'))) {
    await new Promise((resolve) => setTimeout(resolve, 5))
  }
}

const halts: readonly Halt[] = setup.halts
/** The kinds of halt that may come at this step; some come at one of several. */
type HaltAt<K, Each = Halt> = Each extends { readonly at: infer At }
  ? K extends At
    ? Each
    : never
  : never
const find = <K extends Halt['at']>(at: K): HaltAt<K> | undefined =>
  halts.find((each) => each.at === at) as HaltAt<K> | undefined

function haltingDisk(): JournalIo {
  return {
    ...nodeIo,
    open: async (path, mode, durability) => {
      if (mode !== 'read') await answering(path)
      const file = await nodeIo.open(path, mode, durability)
      if (setup.hanging.length > 0) return hangingFile(path, file)
      // The emergency file stands still with the journal: they are on one disk.
      if (!/(\d{16}-[^/]*|emergency)\.ndjson$/.test(path)) return file
      return {
        isInPlace: () => file.isInPlace(),
        size: () => file.size(),
        read: (into, position) => file.read(into, position),
        write: async (bytes, position) => {
          const text = Buffer.from(bytes).toString('utf8')
          const before = find('before_write')
          if (before !== undefined && text.includes(before.has)) await halt('before_write')
          const written = await file.write(bytes, position)
          const after = find('after_write')
          if (after !== undefined && text.includes(after.has)) await halt('after_write')
          return written
        },
        sync: () => file.sync(),
        truncate: (size) => file.truncate(size),
        close: () => file.close(),
      }
    },
  }
}

function hangingFile(path: string, file: IoFile): IoFile {
  return {
    isInPlace: () => file.isInPlace(),
    size: () => file.size(),
    read: (into, position) => file.read(into, position),
    write: async (bytes, position) => {
      await answering(path)
      return await file.write(bytes, position)
    },
    sync: async () => {
      await answering(path)
      await file.sync()
    },
    truncate: async (size) => {
      await answering(path)
      await file.truncate(size)
    },
    close: () => file.close(),
  }
}

function haltingVenue(venue: VenueHttp): VenueHttp {
  return {
    info: venue.info,
    exchange: async (request, lane) => {
      if (find('before_send')?.type === request.action.type) await halt('before_send')
      const answer = await venue.exchange(request, lane)
      if (find('after_send')?.type === request.action.type) await halt('after_send')
      return answer
    },
  }
}

function haltingKillFile(stateDir: string): KillFile {
  const file = killFileIn(stateDir)
  return {
    seen: () => file.seen(),
    watch: (changed) => file.watch(changed),
    write: async (reason) => {
      if (find('kill_file') !== undefined) await halt('kill_file')
      await answering(join(stateDir, 'kill'))
      await file.write(reason)
    },
  }
}

const config = readConfig(readFileSync(join(setup.home, 'guard.toml'), 'utf8'), setup.home)
if (!config.ok) throw new Error(config.error.join('; '))
const key = parsePrivateKey(setup.apiKey)
if (!key.ok) throw new Error(key.error)
const started = await startGuard({
  config: config.value,
  privateKey: key.value,
  log: { log: () => undefined },
  seams: {
    clock: {
      now: () => millis(systemClock.now() + setup.aheadMs),
      monotonicMs: () => systemClock.monotonicMs() + setup.aheadMs,
    },
    io: haltingDisk(),
    killFile: haltingKillFile,
    venue: haltingVenue,
    page: () => new Map(),
  },
})
process.stdout.write(`URL ${started.gateway.url}\n`)
await started.recovered
process.stdout.write('READY\n')
