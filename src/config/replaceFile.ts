import { closeSync, fsyncSync, openSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { dirname } from 'node:path'

/** The path of a file, and the whole text that replaces what it holds. */
export interface NewText {
  readonly path: string
  readonly text: string
}

/** Replaces a file in one step: a reader sees the old or the new text, also after a crash. */
export function replaceFile(path: string, text: string): void {
  replaceFiles([{ path, text }])
}

/**
 * Replaces files that belong together, in the order given. All new texts are on disk beside their
 * places before the first takes its place, so a full disk changes none of them. Each takes its place
 * in one step; a crash between two steps leaves the earlier files new and the later ones old.
 */
export function replaceFiles(files: readonly NewText[]): void {
  try {
    for (const { path, text } of files) writeSynced(nextOf(path), text)
    for (const { path } of files) {
      renameSync(nextOf(path), path)
      syncDirectory(dirname(path))
    }
  } catch (error) {
    // What has taken its place already has no such name any more.
    for (const { path } of files) rmSync(nextOf(path), { force: true })
    throw error
  }
}

function nextOf(path: string): string {
  return `${path}.new`
}

function writeSynced(path: string, text: string): void {
  const file = openSync(path, 'w', 0o600)
  try {
    writeFileSync(file, text)
    fsyncSync(file)
  } finally {
    closeSync(file)
  }
}

function syncDirectory(path: string): void {
  const directory = openSync(path, 'r')
  try {
    fsyncSync(directory)
  } finally {
    closeSync(directory)
  }
}
