import { defineConfig } from 'vitest/config'

export default defineConfig({
  test: {
    include: ['src/**/*.test.ts', 'lab/**/*.test.ts', 'test/**/*.test.ts'],
    exclude: ['test/clients/**', 'test/docs-user/**', '**/node_modules/**'],
    restoreMocks: true,
    testTimeout: 120_000,
    hookTimeout: 60_000,
    maxWorkers: 2,
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
