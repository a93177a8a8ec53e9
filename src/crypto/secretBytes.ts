/**
 * Room for a secret, outside the memory that V8 moves about: a small array of its own making would
 * lie in there, and each move would leave a copy behind that nobody can wipe.
 */
export function secretBytes(count: number): Uint8Array {
  return new Uint8Array(new ArrayBuffer(count))
}
