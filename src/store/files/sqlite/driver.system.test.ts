import { driverContract } from "./driver.contract.ts";
import { drivers } from "./driver.ts";

for (const driver of drivers) driverContract(driver);
