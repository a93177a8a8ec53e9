/** Kept equal to package.json by a test; a bundle has no package.json to read. */
export const version = '0.1.0'
