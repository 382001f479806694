package dev.stagesim.sim.network.packet;

/** The one place where congestion controls are listed. */
final class Controls {
    private Controls() {}

    static RateControl of(State state, FlowQueues queues) {
        CongestionSpec spec = state.spec.congestion();
        if (spec instanceof CongestionSpec.Dcqcn dcqcn) {
            return new Dcqcn(state, dcqcn);
        }
        if (spec instanceof CongestionSpec.Dctcp dctcp) {
            return new Dctcp(state, dctcp);
        }
        if (spec instanceof CongestionSpec.Timely timely) {
            return new Timely(state, timely);
        }
        if (spec instanceof CongestionSpec.Hpcc hpcc) {
            return new Hpcc(state, hpcc, queues);
        }
        if (spec instanceof CongestionSpec.HpccPint pint) {
            return new HpccPint(state, pint, queues, state.libraryRandom);
        }
        return new RateControl.Fixed();
    }

    static Telemetry telemetry(State state) {
        CongestionSpec spec = state.spec.congestion();
        if (spec instanceof CongestionSpec.Hpcc hpcc) {
            return new HopTelemetry(state, hpcc.multiple());
        }
        if (spec instanceof CongestionSpec.HpccPint pint) {
            return new PowerTelemetry(state, pint.base(), state.libraryRandom);
        }
        return new Telemetry.None();
    }
}
