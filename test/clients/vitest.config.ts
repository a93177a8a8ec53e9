import { resolve } from 'node:path'
import { defineConfig } from 'vitest/config'
import { temporaryFolder } from '../temporaryFolder.ts'

const root = resolve(import.meta.dirname, '..', '..')

export default defineConfig({
  root,
  test: {
    include: ['test/clients/**/*.test.ts'],
    restoreMocks: true,
    env: { TMPDIR: temporaryFolder() },
    testTimeout: 180_000,
    hookTimeout: 180_000,
    // Most of them wait for a client, or for Guard.
    maxWorkers: 3,
  },
})
