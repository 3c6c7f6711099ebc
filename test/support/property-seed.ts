// Property tests draw from a fixed seed, so that two runs have the same result. `SEED=random` explores, and
// prints the seed of a failure; `SEED=<number>` repeats it.
import fc from "fast-check";

const wanted = process.env["SEED"] ?? "20261115";
if (wanted !== "random") fc.configureGlobal({ ...fc.readConfigureGlobal(), seed: Number(wanted) });
