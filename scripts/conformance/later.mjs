// Where answers recorded from the live venue have other fields than the suite's schemas know: the
// suite is older there. A method counts as such only where it conforms once these fields alone are as
// they were.

/** For each method: what is other, in words, and the JSON patch that makes a dex's entry as it was. */
const later = {
  perpDexs: {
    fields: 'assetToFundingClamp came, deployerFeeScale and lastDeployerFeeScaleChangeTime went',
    asBefore: (dex) => [
      { op: 'remove', path: `/${dex}/assetToFundingClamp` },
      { op: 'add', path: `/${dex}/deployerFeeScale`, value: '1.0' },
      {
        ...{ op: 'add', path: `/${dex}/lastDeployerFeeScaleChangeTime` },
        value: '2026-01-01T00:00:00',
      },
    ],
  },
  allPerpMetas: {
    fields: 'deployerFeeScale of a market came',
    asBefore: (dex) => [{ op: 'remove', path: `/${dex}/universe/0/deployerFeeScale` }],
  },
}

/** The difference that is known of a method, with the patch for so many builder dexes; else null. */
export function laterFields(method, dexCount) {
  const known = later[method]
  if (known === undefined) return null
  const indexes = Array.from({ length: dexCount }, (_, index) => index + 1)
  return { fields: known.fields, patch: indexes.flatMap((dex) => known.asBefore(dex)) }
}
