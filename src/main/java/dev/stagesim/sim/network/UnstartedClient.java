package dev.stagesim.sim.network;

/** Stands in for a network's client until the run begins. */
public final class UnstartedClient implements NetworkClient {

    @Override
    public void event(long event) {
        throw tooEarly();
    }

    @Override
    public void sent(int handle) {
        throw tooEarly();
    }

    @Override
    public void received(int handle) {
        throw tooEarly();
    }

    private static IllegalStateException tooEarly() {
        return new IllegalStateException("the run has not begun");
    }
}
