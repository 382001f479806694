package dev.stagesim.verify.vllm;

import dev.stagesim.sim.core.IntList;
import dev.stagesim.sim.serving.policy.Drafting;
import dev.stagesim.sim.serving.policy.KvConnector;
import dev.stagesim.sim.serving.policy.LiveRequest;
import dev.stagesim.sim.serving.policy.StepResult;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;

/** Accepts drafts and moves keys and values as a case prescribes. */
final class ScriptedWorker implements Drafting, KvConnector {
    /** A transfer under way: batches until it is reported, and the block that fails. */
    private static final class Transfer {
        private final LiveRequest request;
        private final Optional<Integer> failedBlock;
        private int left;

        Transfer(LiveRequest request, int left, Optional<Integer> failedBlock) {
            this.request = request;
            this.left = left;
            this.failedBlock = failedBlock;
        }
    }

    private final List<CaseRequest> requests;
    private final Optional<CaseEngine.Connector> connector;
    private final int blockSize;
    private final int drafts;
    private final int[] attempts;
    private final int[] localTokens;
    private final boolean[] hasLoaded;
    private final Map<Integer, Transfer> loads = new TreeMap<>();
    private final Map<Integer, Transfer> sends = new TreeMap<>();
    private final Deque<IntList> failedBlocks = new ArrayDeque<>();
    private IntList failedNow = new IntList();

    ScriptedWorker(List<CaseRequest> requests, CaseEngine engine) {
        this.requests = requests;
        this.connector = engine.connector();
        this.blockSize = engine.layout().groups().get(0).blockSize();
        this.drafts = engine.settings().speculation().tokens();
        attempts = new int[requests.size()];
        localTokens = new int[requests.size()];
        hasLoaded = new boolean[requests.size()];
    }

    private static int index(LiveRequest request) {
        return request.spec().index();
    }

    private static int cyclic(int[] list, int position, int otherwise) {
        return list.length == 0 ? otherwise : list[position % list.length];
    }

    @Override
    public int accepted(LiveRequest request, int verified) {
        return Math.min(verified, cyclic(requests.get(index(request)).accept(), request.output(), verified));
    }

    @Override
    public int proposed(LiveRequest request, int output, int max) {
        // The recorded worker made all drafts, regardless of the requested number.
        return Math.min(drafts, cyclic(requests.get(index(request)).drafts(), output, drafts));
    }

    @Override
    public boolean isProducer() {
        return connector.orElseThrow().isProducer();
    }

    @Override
    public boolean isConsumer() {
        return connector.orElseThrow().isConsumer();
    }

    @Override
    public boolean recomputes() {
        return connector.orElseThrow().recomputes();
    }

    @Override
    public int offer(LiveRequest request, int local) {
        int index = index(request);
        Optional<CaseRequest.Remote> remote = requests.get(index).remote();
        if (remote.isEmpty() || hasLoaded[index]) {
            return 0;
        }
        if (attempts[index]++ < remote.get().defer()) {
            return LATER;
        }
        localTokens[index] = local;
        int max = request.known() - (remote.get().isAside() ? 0 : 1);
        return Math.max(0, Math.min(remote.get().tokens(), max) - local);
    }

    @Override
    public boolean loadsAsync(LiveRequest request) {
        return requests.get(index(request))
                .remote()
                .map(CaseRequest.Remote::isAside)
                .orElse(false);
    }

    @Override
    public void begin(LiveRequest request, int tokens) {
        int index = index(request);
        CaseRequest.Remote remote = requests.get(index).remote().orElseThrow();
        hasLoaded[index] = true;
        Optional<Integer> failed = remote.failAtBlock()
                .map(block -> localTokens[index] / blockSize + block)
                .filter(place -> place < request.blocks().blocks(0).size())
                .map(place -> request.blocks().blocks(0).get(place));
        if (remote.isAside()) {
            loads.put(index, new Transfer(request, remote.delay(), failed));
        } else {
            failed.ifPresent(failedNow::add);
        }
    }

    @Override
    public boolean keeps(LiveRequest request) {
        Optional<Integer> delay = requests.get(index(request)).sendDelay();
        if (delay.isEmpty() || request.status() != LiveRequest.Status.LENGTH) {
            return false;
        }
        sends.put(index(request), new Transfer(request, delay.get(), Optional.empty()));
        return true;
    }

    /** Ends the planning of a batch. Its synchronous loads fail with its own result. */
    void planned() {
        failedBlocks.add(failedNow);
        failedNow = new IntList();
    }

    /** Returns the data to report with the oldest batch. */
    StepResult report() {
        StepResult result = new StepResult();
        tick(loads, result.received, result.invalid);
        tick(sends, result.sent, result.invalid);
        IntList failed = failedBlocks.remove();
        for (int i = 0; i < failed.size(); i++) {
            result.invalid.add(failed.get(i));
        }
        return result;
    }

    private static void tick(Map<Integer, Transfer> transfers, List<LiveRequest> done, IntList invalid) {
        transfers.values().removeIf(transfer -> {
            if (--transfer.left > 0) {
                return false;
            }
            done.add(transfer.request);
            transfer.failedBlock.ifPresent(invalid::add);
            return true;
        });
    }
}
