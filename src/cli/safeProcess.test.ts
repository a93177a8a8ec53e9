import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { expect, test } from 'vitest'
import { mayDumpCore, refuseUnsafeProcess, startWarnings } from './safeProcess.ts'

const safe = { environment: {}, execArgv: [], inspectorUrl: undefined }

test.each([
  ['an open debugger', { ...safe, inspectorUrl: 'ws://127.0.0.1:9229/x' }],
  ['an option', { ...safe, execArgv: ['--inspect=0'] }],
  ['the environment', { ...safe, environment: { NODE_OPTIONS: '--no-warnings --inspect-brk' } }],
  ['foreign code first', { ...safe, environment: { NODE_OPTIONS: '--require /tmp/x.js' } }],
  ['foreign modules first', { ...safe, environment: { NODE_OPTIONS: '--import=/tmp/x.mjs' } }],
  [
    'foreign code, in quotes',
    { ...safe, environment: { NODE_OPTIONS: '"--require" "/tmp/x.js"' } },
  ],
  ['an option with underscores', { ...safe, execArgv: ['--tls_keylog=/tmp/x'] }],
  ['no check of the venue', { ...safe, environment: { NODE_TLS_REJECT_UNAUTHORIZED: '0' } }],
])('%s is refused', (_, ways) => {
  expect(() => {
    refuseUnsafeProcess(ways)
  }).toThrow()
})

test.each([
  ['nothing', safe],
  ['memory', { ...safe, environment: { NODE_OPTIONS: '--max-old-space-size=300' } }],
  ['the check asked for', { ...safe, environment: { NODE_TLS_REJECT_UNAUTHORIZED: '1' } }],
])('%s is no reason', (_, ways) => {
  refuseUnsafeProcess(ways)
})

test('with a listener the signal opens no debugger', async () => {
  const program =
    "process.on('SIGUSR1', () => console.log(String(require('inspector').url()))); " +
    "console.log('ready'); setInterval(() => {}, 1000)"
  const child = spawn(process.execPath, ['-e', program], { env: {} })
  const lines: string[] = []
  child.stdout.on('data', (bytes: Buffer) => lines.push(bytes.toString()))
  try {
    while (!lines.join('').includes('ready')) await once(child.stdout, 'data')
    child.kill('SIGUSR1')
    while (!lines.join('').includes('undefined')) await once(child.stdout, 'data')
  } finally {
    child.kill('SIGKILL')
  }
  expect(lines.join('')).toBe('ready\nundefined\n')
})

const limitsText = (soft: string): string =>
  `Limit                     Soft Limit           Hard Limit           Units
Max stack size            8388608              unlimited            bytes
Max core file size        ${soft.padEnd(20)} unlimited            bytes
`

test.each([
  ['0', false],
  ['unlimited', true],
  ['1024', true],
])('a core file size of %s: may the memory be dumped? %s', (soft, may) => {
  expect(mayDumpCore(limitsText(soft))).toBe(may)
  expect(mayDumpCore(null)).toBe(false)
})

test('what is no reason to refuse is warned of', () => {
  expect(startWarnings({}, null)).toEqual([])
  expect(startWarnings({ NODE_EXTRA_CA_CERTS: '/x.pem' }, null)).toHaveLength(1)
  const words = startWarnings({ GUARD_KEY_PASSPHRASE: 'secret words' }, limitsText('unlimited'))
  expect(words).toHaveLength(2)
  expect(words[0]).toContain('/proc/PID/environ')
  expect(words[1]).toContain('ulimit -c 0')
  expect(words.join()).not.toContain('secret words')
})
