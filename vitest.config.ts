import { availableParallelism } from 'node:os'
import { defineConfig } from 'vitest/config'
import { SlowFirst } from './test/slowFirst.ts'
import { temporaryFolder } from './test/temporaryFolder.ts'

const everywhere = '{src,lab,test}/**/*.test.ts'
/** The example tests of judge and safety. They alone must take every branch, so that no luck is in it. */
const tables = 'src/core/{judge,safety}/**/!(*.property).test.ts'
/** These share processes (`isolate: false`): they leave no state behind, and loading took longer than they do. */
const together = [
  'src/{core,engine,gateway,venue}/**/*.test.ts',
  'test/{engine,gateway}/**/*.test.ts',
  'lab/sim/*.test.ts',
  'lab/sim/{engine,front}/**/*.test.ts',
]
const elsewhere = ['test/clients/**', '**/node_modules/**']
/** Many of them wait for a Guard, a timer or a disk: one more than there are processors. */
const workers = Math.min(8, availableParallelism() + 1)

export default defineConfig({
  test: {
    projects: [
      {
        extends: true,
        test: { name: 'apart', include: [everywhere], exclude: [...elsewhere, ...together] },
      },
      {
        extends: true,
        test: {
          name: 'together',
          include: together,
          exclude: [...elsewhere, tables],
          isolate: false,
        },
      },
      {
        extends: true,
        test: { name: 'tables', include: [tables], exclude: elsewhere, isolate: false },
      },
    ],
    restoreMocks: true,
    env: { TMPDIR: temporaryFolder() },
    testTimeout: 300_000,
    hookTimeout: 180_000,
    maxWorkers: workers,
    sequence: { sequencer: SlowFirst },
    coverage: {
      provider: 'v8',
      include: ['src/core/**/*.ts'],
      exclude: ['**/*.test.ts', '**/*.fixture.ts'],
      // What decides is reached in full; a branch that no test takes fails `npm test`.
      thresholds: {
        'src/core/judge/**': { branches: 100, functions: 100, lines: 100, statements: 100 },
        'src/core/safety/**': { branches: 100, functions: 100, lines: 100, statements: 100 },
      },
    },
  },
})
