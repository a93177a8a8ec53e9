/** Thrown by an attack that got through: Guard did what it must not do. */
export class Breach extends Error {}

/** It cannot be tried here, for a reason a person can read. */
export class NotHere extends Error {}

export const breach = (text: string): never => {
  throw new Breach(text)
}
