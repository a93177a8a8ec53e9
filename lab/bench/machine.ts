import { open, rm } from 'node:fs/promises'
import type { FileHandle } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Crypto, Secp256k1, Signature } from '../../src/core/protocol/crypto.ts'
import { loadCrypto } from '../../src/crypto/loadCrypto.ts'
import { Times } from './cost.ts'
import type { Cost, How } from './cost.ts'
import type { PartReport } from './report.ts'
import { ms } from './report.ts'
import { rest, restMs } from './rest.ts'

export type CurveName = 'native' | 'wasm'

/** What the disk and the curve cost on this machine by themselves, in milliseconds. */
export interface MachineFigures {
  readonly fdatasync: Cost
  readonly curves: Readonly<Partial<Record<CurveName, CurveFigures>>>
}

interface CurveFigures {
  readonly recover: Cost
  readonly sign: Cost
}

interface Curve {
  readonly name: CurveName
  readonly secp256k1: Secp256k1
  readonly signature: Signature
  readonly recover: Times
  readonly sign: Times
}

const key = new Uint8Array(32).fill(7)
const written = Buffer.alloc(1_024, 0x61)

/**
 * Measures the disk and the curves by themselves: once after a rest, as for one order, and in tight
 * loops, where all they need stays at hand, as it does for nobody who does more.
 */
export class MachineProbe {
  readonly #path: string
  readonly #file: FileHandle
  readonly #digest: Uint8Array
  readonly #curves: readonly Curve[]
  readonly #synced = new Times()

  private constructor(
    path: string,
    file: FileHandle,
    digest: Uint8Array,
    curves: readonly Curve[],
  ) {
    this.#path = path
    this.#file = file
    this.#digest = digest
    this.#curves = curves
  }

  static async open(): Promise<MachineProbe> {
    const { keccak256 } = await loadCrypto()
    const digest = keccak256(key)
    const curves: Curve[] = []
    for (const [name, { secp256k1 }] of await loadCurves()) {
      const signature = secp256k1.sign(digest, key)
      curves.push({ name, secp256k1, signature, recover: new Times(), sign: new Times() })
    }
    const path = join(tmpdir(), `guard-bench-sync-${process.pid}`)
    return new MachineProbe(path, await open(path, 'w'), digest, curves)
  }

  /** Does everything so many times, each after a rest, and keeps how long it took. */
  async take(runs: number): Promise<void> {
    for (let run = 0; run < runs; run += 1) {
      for (const curve of this.#curves) {
        await rest()
        this.#recover(curve, 'rested')
        this.#sign(curve, 'rested')
      }
      await rest()
      await this.#sync('rested')
    }
  }

  /** The same in tight loops. */
  async takeInLoops(runs: number): Promise<void> {
    for (const curve of this.#curves) {
      for (let run = 0; run < runs; run += 1) this.#recover(curve, 'looped')
      for (let run = 0; run < runs; run += 1) this.#sign(curve, 'looped')
    }
    for (let run = 0; run < runs; run += 1) await this.#sync('looped')
  }

  get figures(): MachineFigures {
    const curves: Partial<Record<CurveName, CurveFigures>> = {}
    for (const { name, recover, sign } of this.#curves) {
      curves[name] = { recover: recover.cost, sign: sign.cost }
    }
    return { fdatasync: this.#synced.cost, curves }
  }

  async close(): Promise<void> {
    await this.#file.close()
    await rm(this.#path, { force: true })
  }

  #recover({ secp256k1, signature, recover }: Curve, how: How): void {
    const begun = performance.now()
    secp256k1.recover(this.#digest, signature)
    recover.add(how, performance.now() - begun)
  }

  #sign({ secp256k1, sign }: Curve, how: How): void {
    const begun = performance.now()
    secp256k1.sign(this.#digest, key)
    sign.add(how, performance.now() - begun)
  }

  async #sync(how: How): Promise<void> {
    const begun = performance.now()
    await this.#file.write(written)
    await this.#file.datasync()
    this.#synced.add(how, performance.now() - begun)
  }
}

/** The curves that this machine has. */
export async function loadCurves(): Promise<ReadonlyMap<CurveName, Crypto>> {
  const curves = new Map<CurveName, Crypto>()
  for (const name of ['native', 'wasm'] as const) {
    const crypto = await loadCrypto({ prefer: name }).catch(() => null)
    if (crypto !== null) curves.set(name, crypto)
  }
  return curves
}

/** The least an order can cost that is checked, signed and on disk before it goes. */
export function floorMs(
  { fdatasync, curves }: MachineFigures,
  curve: CurveName,
  how: 'p50' | 'loop' = 'p50',
): number {
  const figures = curves[curve]
  return figures === undefined ? NaN : fdatasync[how] + figures.recover[how] + figures.sign[how]
}

export function machineReport(machine: MachineFigures): PartReport {
  const row = (name: string, { p50, p90, p99, loop }: Cost): string[] => [
    name,
    ...[p50, p90, p99, loop].map(ms),
  ]
  const curves = Object.entries(machine.curves).flatMap(([name, { recover, sign }]) => [
    row(`recover, ${name}`, recover),
    row(`sign, ${name}`, sign),
  ])
  return {
    name: 'machine',
    title: 'This machine by itself',
    notes: [
      `In turns with the orders of the next part: each once after a rest of ${restMs} ms, as an order ` +
        'finds them, and for comparison in tight loops.',
    ],
    tables: [
      {
        title: '',
        columns: ['', 'p50', 'p90', 'p99', 'p50 in a loop'],
        rows: [row('write 1 KB + fdatasync', machine.fdatasync), ...curves],
      },
    ],
    bars: [],
    figures: {
      fdatasync: { ...machine.fdatasync },
      curves: JSON.parse(JSON.stringify(machine.curves)),
    },
  }
}
