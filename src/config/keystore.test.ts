import { mkdtempSync, chmodSync, statSync, writeFileSync, mkdirSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { beforeAll, describe, expect, test } from 'vitest'
import type { Crypto } from '../core/protocol/crypto.ts'
import { loadCrypto } from '../crypto/loadCrypto.ts'
import { decryptKey, encryptKey } from './keystore.ts'
import { findPassphrase } from './passphrase.ts'
import { formatPrivateKey, parsePrivateKey } from './privateKey.ts'
import { readSecretFile, writeNewSecretFile } from './secretFile.ts'

/** Computed once with an independent implementation (Python's hashlib and PyCryptodome). */
const foreign = {
  crypto: {
    cipher: 'aes-128-ctr',
    cipherparams: { iv: '83dbcc02d8ccb40e466191a123791e0e' },
    ciphertext: '91c23c03a8b5117a6e3d78dbb5dfc46f037aff9351dff59c2879586f51756502',
    kdf: 'scrypt',
    kdfparams: {
      dklen: 32,
      n: 8192,
      p: 1,
      r: 8,
      salt: 'ab0c7876052600dd703518d6fc3fe8984592145b591fc8fb5c6d43190334ba19',
    },
    mac: '8f8639fe08fe1f43d6c13006d66ad2d993c6674ee2ba03f025596797a73614b9',
  },
  id: '3198bc9c-6672-5ab3-d995-4942343ae5b6',
  version: 3,
}
const foreignKey = '0x7a28b5ba57c53603b0b07b56bba752f7784bf506fa95edc395f5cf6c7514fe9d'

const cheap = { n: 1_024, r: 8, p: 1 }
let crypto: Crypto
beforeAll(async () => {
  crypto = await loadCrypto()
})

function keyOf(text: string): Uint8Array {
  const parsed = parsePrivateKey(text)
  if (!parsed.ok) throw new Error(parsed.error)
  return parsed.value
}

describe('the keystore', () => {
  test('opens a keystore that another program wrote', () => {
    const key = decryptKey(crypto.keccak256, JSON.stringify(foreign), 'testpassword')
    expect(key.ok && formatPrivateKey(key.value)).toBe(foreignKey)
  })

  test('opens what it wrote, and only with its passphrase', () => {
    const key = keyOf(foreignKey)
    const text = encryptKey(
      crypto.keccak256,
      key,
      crypto.secp256k1.addressOf(key),
      'pass word',
      cheap,
    )
    expect(text).not.toContain(foreignKey.slice(2, 20))
    expect(decryptKey(crypto.keccak256, text, 'pass word')).toEqual({ ok: true, value: key })
    expect(decryptKey(crypto.keccak256, text, 'pass w0rd')).toEqual({
      ok: false,
      error: 'the passphrase is wrong, or the keystore is damaged',
    })
  })

  test.each([
    ['{', /not JSON/],
    ['{}', /version/],
    [JSON.stringify({ ...foreign, version: 1 }), /version/],
    [withKdf({ n: 1 << 21 }), /kdfparams\.n/],
    [withKdf({ n: 3_000 }), /power of two/],
    [withKdf({ n: 262_144, r: 1 }), /n=262144, r=1/],
    [withKdf({ r: 0 }), /kdfparams\.r/],
    [withKdf({ salt: 'zz' }), /salt/],
  ])('refuses %s', (text, why) => {
    const opened = decryptKey(crypto.keccak256, text, 'testpassword')
    expect(opened.ok ? '' : opened.error).toMatch(why)
  })
})

function withKdf(change: object): string {
  const { crypto: parts } = foreign
  return JSON.stringify({
    ...foreign,
    crypto: { ...parts, kdfparams: { ...parts.kdfparams, ...change } },
  })
}

describe('a private key as text', () => {
  test.each([
    ['', false],
    ['0x12', false],
    [foreignKey.slice(2), false],
    [`${foreignKey}\n`, true],
    [`0x${'0'.repeat(64)}`, false],
    ['0xfffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd0364141', false],
    ['0xfffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd0364140', true],
  ])('%s', (text, isKey) => {
    const parsed = parsePrivateKey(text)
    expect(parsed.ok).toBe(isKey)
    if (!parsed.ok && text.length > 4) expect(parsed.error).not.toContain(text.slice(2, 10))
  })
})

describe('secret files', () => {
  const folder = mkdtempSync(join(tmpdir(), 'guard-secret-'))

  test('are written for the owner only, and never over another', () => {
    const path = join(folder, 'new')
    expect(writeNewSecretFile(path, 'secret')).toEqual({ ok: true, value: null })
    expect(statSync(path).mode & 0o777).toBe(0o600)
    expect(readSecretFile(path)).toEqual({ ok: true, value: 'secret' })
    expect(writeNewSecretFile(path, 'other')).toEqual({
      ok: false,
      error: `${path}: exists already`,
    })
  })

  test.each([0o640, 0o604, 0o660, 0o644])('mode %o is refused', (mode) => {
    const path = join(folder, `mode-${mode}`)
    writeFileSync(path, 'secret')
    chmodSync(path, mode)
    const read = readSecretFile(path)
    expect(read.ok ? '' : read.error).toContain('others may read it')
  })

  test('a missing file, a folder and a huge file are refused by name', () => {
    const huge = join(folder, 'huge')
    writeFileSync(huge, 'x'.repeat(20_000), { mode: 0o600 })
    const sub = join(folder, 'sub')
    mkdirSync(sub)
    for (const path of [join(folder, 'none'), sub, huge]) {
      const read = readSecretFile(path)
      expect(read.ok ? '' : read.error).toContain(path)
    }
  })
})

describe('the passphrase', () => {
  const folder = mkdtempSync(join(tmpdir(), 'guard-pass-'))
  const file = join(folder, 'guard-key-passphrase')
  writeFileSync(file, 'from a file\n', { mode: 0o600 })

  test.each([
    ['a file first', { file, environment: { GUARD_KEY_PASSPHRASE: 'x' } }, 'from a file'],
    [
      'a systemd credential',
      { file: null, environment: { CREDENTIALS_DIRECTORY: folder } },
      'from a file',
    ],
    ['the environment', { file: null, environment: { GUARD_KEY_PASSPHRASE: 'x y' } }, 'x y'],
    ['nothing: it has to be asked for', { file: null, environment: {} }, null],
  ])('%s', (_name, sources, expected) => {
    expect(findPassphrase(sources)).toEqual({ ok: true, value: expected })
  })

  test('an empty one is refused', () => {
    const found = findPassphrase({ file: null, environment: { GUARD_KEY_PASSPHRASE: '' } })
    expect(found.ok).toBe(false)
  })
})
