import { ccxtDrivers } from './drivers/ccxt.ts'
import { clientSuite } from './suite.ts'

for (const driver of ccxtDrivers) clientSuite(driver)
