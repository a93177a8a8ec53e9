declare const brand: unique symbol

/** A primitive that was checked once, at the door; the name says what was checked. */
export type Brand<T, Name extends string> = T & { readonly [brand]: Name }
