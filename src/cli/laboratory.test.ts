import { expect, test } from 'vitest'
import { labCommands } from '../../lab/commands/labCommands.ts'
import { labCommandTexts, labBundleUrl, labCommandStubs } from './laboratory.ts'
import { createProgram, runProgram } from './program.ts'
import { processTerminal } from './terminal.ts'

const names = Object.keys(labCommandTexts)

test('Guard’s own help and the laboratory’s list the same commands in the same words', () => {
  const listed = [labCommandStubs, labCommands].map((lab) =>
    createProgram(processTerminal, lab).commands.map((each) => [each.name(), each.description()]),
  )
  expect(listed[0]).toEqual(listed[1])
  expect(listed[0]?.map(([name]) => name)).toEqual(expect.arrayContaining(names))
})

test.each([...names, 'fleet demo'])(
  'without the laboratory guard %s says what is missing',
  async (name) => {
    let told = ''
    const terminal = { ...processTerminal, err: (text: string) => (told += text) }
    expect(
      await runProgram([...name.split(' '), '--whatever', '1'], terminal, labCommandStubs),
    ).toBe(1)
    expect(told).toContain('dist/lab.mjs is not there')
  },
)

test('beside a program that has no laboratory none is loaded', () => {
  expect([...names, 'completion', 'run'].map((name) => labBundleUrl([name]))).toEqual(
    Array(names.length + 2).fill(null),
  )
})
