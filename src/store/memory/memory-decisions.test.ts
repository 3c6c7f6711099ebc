import { decisionLogContract } from "../decisions/decision-log.contract.ts";
import { createMemoryDecisions } from "./memory-decisions.ts";

decisionLogContract("Memory", createMemoryDecisions);
