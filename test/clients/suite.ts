import { mkdirSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { afterAll, beforeAll, describe, test } from 'vitest'
import type { Driver } from './bot.ts'
import { account, clientKey, Rig } from './rig.fixture.ts'
import { scenario } from './scenario.ts'
import { Run } from './steps.ts'

const results = resolve(import.meta.dirname, '..', '..', 'tmp', 'clients')

/** Leaves what happened where the matrix is made from. */
export function keepResult(name: string, result: unknown): void {
  mkdirSync(results, { recursive: true })
  const file = `${name.replaceAll(/[^a-z0-9]+/gi, '-').toLowerCase()}.json`
  writeFileSync(join(results, file), `${JSON.stringify(result, null, 2)}\n`)
}

/** The whole scenario with one driver, against a venue and a Guard of its own. */
export function clientSuite(driver: Driver): void {
  describe(driver.name, () => {
    let run: Run
    beforeAll(async () => {
      const rig = await Rig.start()
      const target = { url: rig.url, wsUrl: rig.wsUrl, key: clientKey, account }
      run = new Run(rig, driver, await driver.open(target))
    })
    afterAll(async () => {
      const { name, client, version, settings } = driver
      keepResult(name, { name, client, version, settings, rows: run.rows })
      await run.bot.end()
      await run.rig.close()
    })
    for (const { name, run: act } of scenario) test(name, () => act(run))
  })
}
