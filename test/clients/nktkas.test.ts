import { nktkasDrivers } from './drivers/nktkas.ts'
import { clientSuite } from './suite.ts'

for (const driver of nktkasDrivers) clientSuite(driver)
