import { open, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Crypto } from '../../core/protocol/crypto.ts'
import { loadCrypto } from '../../crypto/loadCrypto.ts'
import { spreadOf } from './quantiles.ts'
import type { Spread } from './quantiles.ts'
import type { PartReport } from './report.ts'
import { ms } from './report.ts'

/** What the disk and the curve cost on this machine by themselves, in milliseconds. */
export interface MachineFigures {
  readonly fdatasync: Spread
  readonly curves: Readonly<Partial<Record<'native' | 'wasm', CurveFigures>>>
}

export interface CurveFigures {
  readonly recover: Spread
  readonly sign: Spread
}

export async function measureMachine(runs: number): Promise<MachineFigures> {
  const curves: Partial<Record<'native' | 'wasm', CurveFigures>> = {}
  for (const prefer of ['native', 'wasm'] as const) {
    const crypto = await loadCrypto({ prefer }).catch(() => null)
    if (crypto !== null) curves[prefer] = curveFigures(crypto, runs)
  }
  return { fdatasync: await syncTimes(runs), curves }
}

/** The least an order can cost that is checked, signed and on disk before it goes. */
export function floorMs({ fdatasync, curves }: MachineFigures, curve: 'native' | 'wasm'): number {
  const figures = curves[curve]
  return figures === undefined ? NaN : fdatasync.p50 + figures.recover.p50 + figures.sign.p50
}

export function machineReport(machine: MachineFigures): PartReport {
  const row = (name: string, { p50, p90, p99 }: Spread): string[] => [
    name,
    ...[p50, p90, p99].map(ms),
  ]
  const curves = Object.entries(machine.curves).flatMap(([name, { recover, sign }]) => [
    row(`recover, ${name}`, recover),
    row(`sign, ${name}`, sign),
  ])
  return {
    name: 'machine',
    title: 'This machine by itself',
    notes: [],
    tables: [
      {
        title: '',
        columns: ['', 'p50', 'p90', 'p99'],
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

async function syncTimes(runs: number): Promise<Spread> {
  const path = join(tmpdir(), `guard-bench-sync-${process.pid}`)
  const file = await open(path, 'w')
  const bytes = Buffer.alloc(1_024, 0x61)
  const times: number[] = []
  try {
    for (let n = 0; n < runs; n += 1) {
      const begun = performance.now()
      await file.write(bytes)
      await file.datasync()
      times.push(performance.now() - begun)
    }
  } finally {
    await file.close()
    await rm(path, { force: true })
  }
  return spreadOf(times)
}

function curveFigures({ keccak256, secp256k1 }: Crypto, runs: number): CurveFigures {
  const key = new Uint8Array(32).fill(7)
  const digest = keccak256(key)
  const signature = secp256k1.sign(digest, key)
  return {
    sign: timed(runs, () => secp256k1.sign(digest, key)),
    recover: timed(runs, () => secp256k1.recover(digest, signature)),
  }
}

function timed(runs: number, task: () => unknown): Spread {
  const times: number[] = []
  for (let n = 0; n < runs; n += 1) {
    const begun = performance.now()
    task()
    times.push(performance.now() - begun)
  }
  return spreadOf(times)
}
