/** How many random programs the model test of each adapter runs: few of them in a usual run, 1,000 by `pnpm test:stores`. */
export const programs = Number(process.env.LIVEPLANE_STORE_PROGRAMS ?? 150);
