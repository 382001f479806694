package dev.stagesim.sim.serving.cluster;

import dev.stagesim.sim.serving.cluster.ClusterSignals.View;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * A cluster as BLIS simulates it, flaws included: requests pass admission, a gateway queue and a router, and are served by
 * instances that may be split into pools, scaled, and drained.
 *
 * <p>Events of the cluster come before those of instances at the same time; those of instances in their order.
 */
public final class BlisCluster {
    private static final int LOADED = -1;
    private static final int ARRIVAL = 0;
    private static final int ADMISSION = 1;
    private static final int ROUTING = 2;
    private static final int PREFILL_ROUTING = 4;
    private static final int TRANSFER_START = 5;
    private static final int EVICTION = 5;
    private static final int TRANSFER_END = 6;
    private static final int EXPIRY = 6;
    private static final int GATEWAY_TICK = 7;
    private static final int SCALING_TICK = 8;
    private static final int ACTUATION = 9;

    private final BlisConfig config;
    private final Optional<BlisSessions> sessions;
    private final TimedEvents events = new TimedEvents();
    private final BlockChains chains;
    private final ClusterSignals signals;
    private final DevicePools devices;
    private final InstanceRouter router;
    private final InstanceRouter prefillRouter;
    private final InstanceRouter decodeRouter;
    private final AdmissionRule admission;
    private final AdmissionRule.@Nullable TenantBudgets tenants;
    private final @Nullable GatewayQueue gateway;
    private final Optional<SaturationScaler> scaler;

    private final List<BlisRequest> requests = new ArrayList<>();
    private final List<BlisInstance> instances = new ArrayList<>();
    private final Map<BlisInstance, Integer> places = new LinkedHashMap<>();
    private final List<BlisOutcome.Route> routes = new ArrayList<>();
    private final List<BlisOutcome.Refusal> refusals = new ArrayList<>();
    private final List<BlisOutcome.SplitDecision> splitDecisions = new ArrayList<>();
    private final List<SplitRequest> splits = new ArrayList<>();
    private final Map<BlisRequest, SplitRequest> parts = new LinkedHashMap<>();
    private final List<BlisRequest> ended = new ArrayList<>();
    private final EvictionHeap evictable = new EvictionHeap();
    private final Map<String, Integer> shed = new TreeMap<>();

    private long clock;
    private int pendingArrivals;
    private boolean isTickPending;
    private int added;
    private int refusedAdmissions;
    private int refusedRoutings;
    private int refusedEncodings;
    private int gatewayRefused;
    private int gatewayShed;
    private int gatewayExpired;
    private int gatewayEvicted;
    private int prefillsDone;
    private int decodesDone;
    private int droppedTransfers;
    private int transfers;
    private int peakTransfers;
    private long transferDepths;
    private long transferStarts;

    private BlisCluster(BlisConfig config, Optional<BlisSessions> sessions) {
        this.config = config;
        this.sessions = sessions;
        int blockSize = config.engine().blockSize();
        chains = new BlockChains(blockSize);
        signals = new ClusterSignals(config.routing(), chains);
        devices = new DevicePools(config.nodes());
        router = InstanceRouter.of(config.routing().policy(), config.routing().scorers(), blockSize, signals);
        prefillRouter = routerOf(config.routing().prefill());
        decodeRouter = routerOf(config.routing().decode());
        gateway = config.gateway().map(GatewayQueue::new).orElse(null);
        scaler = config.scaling().map(settings -> new SaturationScaler(settings, config.nodes()));
        // The gateway queue takes the place of the admission rule.
        AdmissionRule rule =
                gateway == null ? AdmissionRule.of(config.admission()) : (request, views, now) -> Optional.empty();
        int capacity = config.instances() * config.engine().maxSequences();
        tenants = config.admission().budgets().isEmpty()
                ? null
                : new AdmissionRule.TenantBudgets(rule, config.admission().budgets(), capacity);
        admission = tenants == null ? rule : tenants;
        addFirstInstances();
    }

    /** Runs requests, in the order given where they arrive at the same time, and the rounds that follow them. */
    public static BlisOutcome run(BlisConfig config, List<BlisRequest.Spec> requests, Optional<BlisSessions> sessions) {
        BlisCluster cluster = new BlisCluster(config, sessions);
        cluster.scaler.ifPresent(scaler -> cluster.events.add(0, SCALING_TICK, cluster::scale));
        requests.forEach(cluster::arrive);
        cluster.loop();
        return cluster.outcome();
    }

    private InstanceRouter routerOf(List<BlisConfig.Scorer> scorers) {
        return scorers.isEmpty()
                ? router
                : InstanceRouter.of("weighted", scorers, config.engine().blockSize(), signals);
    }

    // Instances.

    private void addFirstInstances() {
        boolean hasDevices = !config.nodes().isEmpty();
        for (int i = 0; i < config.instances(); i++) {
            if (hasDevices && !devices.hasRoom("")) {
                continue;
            }
            BlisInstance instance = add("instance_" + i, "");
            places.put(instance, i);
            if (hasDevices && !config.warmStart()) {
                load(instance);
            }
        }
    }

    private BlisInstance add(String name, String gpu) {
        BlisInstance instance = new BlisInstance(name, config.engine(), chains, config.horizon(), this::ended);
        devices.place(instance, gpu);
        signals.add(instance);
        instances.add(instance);
        return instance;
    }

    private void load(BlisInstance instance) {
        if (config.loadingUs() > 0) {
            instance.life = BlisInstance.Life.LOADING;
            events.add(clock + config.loadingUs(), LOADED, now -> instance.life = BlisInstance.Life.ACTIVE);
        }
    }

    // The loop.

    private void loop() {
        while (true) {
            BlisInstance first = null;
            long instanceTime = Long.MAX_VALUE;
            for (BlisInstance instance : instances) {
                if (instance.nextTime() < instanceTime) {
                    instanceTime = instance.nextTime();
                    first = instance;
                }
            }
            long time = Math.min(events.next(), instanceTime);
            if (time == Long.MAX_VALUE || time > config.horizon()) {
                return;
            }
            long before = clock;
            clock = time;
            if (first == null || events.next() <= instanceTime) {
                events.take().action().accept(time);
            } else if (!process(first)) {
                clock = before;
            }
        }
    }

    private boolean process(BlisInstance instance) {
        ended.clear();
        boolean wasReal = instance.processNext();
        instance.inFlight = Math.max(0, instance.inFlight - ended.size());
        if (instance.life == BlisInstance.Life.DRAINING && instance.waiting() == 0 && instance.running() == 0) {
            instance.life = BlisInstance.Life.TERMINATED;
            devices.release(instance);
        }
        List<BlisRequest> split = ended.stream()
                .filter(parts::containsKey)
                .sorted(Comparator.comparing(request -> request.spec().id()))
                .toList();
        split.stream().filter(request -> !request.isDecodePart).forEach(this::prefillEnded);
        Predicate<BlisRequest> isDone = request -> request.state == BlisRequest.State.COMPLETED;
        split.stream().filter(request -> request.isDecodePart).filter(isDone).forEach(this::decodeEnded);
        split.stream()
                .filter(request -> request.isDecodePart)
                .filter(isDone.negate())
                .forEach(this::decodeEnded);
        return wasReal;
    }

    /** A request, or a part of one, ended on an instance. */
    private void ended(BlisRequest request, long at) {
        ended.add(request);
        if (tenants != null) {
            tenants.ended(request.spec().tenant());
        }
        evictable.remove(request);
        if (!request.spec().session().isEmpty()) {
            follow(request, request.state, request.progress, at);
        }
    }

    private void follow(BlisRequest request, BlisRequest.State state, int progress, long at) {
        sessions.flatMap(all -> all.next(request, state, progress, at)).ifPresent(this::arrive);
    }

    // From arrival to an instance.

    private void arrive(BlisRequest.Spec spec) {
        BlisRequest request = new BlisRequest(spec, false);
        requests.add(request);
        pendingArrivals++;
        events.add(spec.arrival(), ARRIVAL, now -> {
            pendingArrivals--;
            events.add(now + config.admission().latency(), ADMISSION, later -> admit(request, later));
        });
    }

    private void admit(BlisRequest request, long now) {
        Optional<String> refusal = admission.refuses(request, signals.views(instances, now), now);
        if (refusal.isPresent()) {
            refusals.add(new BlisOutcome.Refusal(request.spec().id(), now, refusal.get()));
            refusedAdmissions++;
            countShed(request);
        } else if (gateway == null) {
            events.add(now + config.routing().latency(), ROUTING, later -> route(request, later));
        } else {
            enqueue(gateway, config.gateway().orElseThrow(), request, now);
        }
    }

    private void countShed(BlisRequest request) {
        shed.merge(ServiceClasses.counted(request.spec().serviceClass()), 1, Integer::sum);
    }

    private void enqueue(GatewayQueue queue, BlisConfig.Gateway settings, BlisRequest request, long now) {
        GatewayQueue.Outcome outcome = queue.add(request, now);
        if (!outcome.isQueued()) {
            gatewayRefused++;
            return;
        }
        request.enqueuedAt = now;
        outcome.shed().ifPresent(victim -> {
            victim.enqueuedAt = 0;
            gatewayShed++;
            countShed(victim);
        });
        if (settings.ttl() > 0) {
            events.add(now + settings.ttl(), EXPIRY, later -> {
                if (queue.remove(request)) {
                    gatewayExpired++;
                    countShed(request);
                }
            });
        }
        dispatch(queue, settings, now);
    }

    private void dispatch(GatewayQueue queue, BlisConfig.Gateway settings, long now) {
        if (queue.size() == 0) {
            return;
        }
        if (!isTickPending) {
            isTickPending = true;
            addTick(queue, settings, now);
        }
        double saturation = queue.saturation(signals.views(instances, now));
        if (settings.evicts() && saturation >= 1 && !evictable.isEmpty() && queue.holdsUnsheddable()) {
            evictOne(now);
            return;
        }
        queue.next(saturation).ifPresent(request -> {
            request.dispatchedAt = now;
            events.add(now + config.routing().latency(), ROUTING, later -> route(request, later));
        });
    }

    private void addTick(GatewayQueue queue, BlisConfig.Gateway settings, long now) {
        events.add(now + settings.tick(), GATEWAY_TICK, at -> {
            dispatch(queue, settings, at);
            if (queue.size() > 0) {
                addTick(queue, settings, at);
            } else {
                isTickPending = false;
            }
        });
    }

    /** Cancels the dispatched request of the lowest class that was dispatched last. */
    private void evictOne(long now) {
        EvictionHeap.Victim victim = evictable.take();
        events.add(now, EVICTION, later -> {
            BlisRequest request = victim.request();
            if (victim.instance().evict(request)) {
                victim.instance().inFlight = Math.max(0, victim.instance().inFlight - 1);
                if (tenants != null) {
                    tenants.ended(request.spec().tenant());
                }
                gatewayEvicted++;
                countShed(request);
            }
        });
    }

    private void route(BlisRequest request, long now) {
        if (config.split().isOn()) {
            routeToPools(request, now);
            return;
        }
        List<View> views = signals.views(instances, now);
        if (views.isEmpty()) {
            refusedRoutings++;
            return;
        }
        InstanceRouter.Choice choice = router.route(request, views);
        send(request, views, choice, now);
    }

    private void send(BlisRequest request, List<View> views, InstanceRouter.Choice choice, long now) {
        BlisInstance target = views.get(choice.index()).instance();
        Map<String, Double> scores = new TreeMap<>();
        for (int i = 0; i < choice.scores().length; i++) {
            scores.put(views.get(i).instance().name(), choice.scores()[i]);
        }
        routes.add(new BlisOutcome.Route(request.spec().id(), now, target.name(), scores));
        start(request, target);
        target.arrive(request, now);
        boolean canEvict = config.gateway().map(BlisConfig.Gateway::evicts).orElse(false);
        if (canEvict && ServiceClasses.isSheddable(request.spec().serviceClass())) {
            evictable.add(request, target);
        }
    }

    private void start(BlisRequest request, BlisInstance target) {
        target.inFlight++;
        if (tenants != null) {
            tenants.started(request.spec().tenant());
        }
    }

    // Split pools.

    private List<View> pool(int from, int to, int alsoFrom, int alsoTo, long now) {
        return signals.views(instances, now).stream()
                .filter(view -> {
                    int place = places.getOrDefault(view.instance(), Integer.MAX_VALUE);
                    return (place >= from && place < to) || (place >= alsoFrom && place < alsoTo);
                })
                .toList();
    }

    private void routeToPools(BlisRequest request, long now) {
        BlisConfig.Split split = config.split();
        int behindDecode = split.prefill() + split.decode();
        int behindShared = behindDecode + split.shared();
        List<View> views = pool(split.prefill(), behindDecode, behindDecode, behindShared, now);
        if (views.isEmpty()) {
            refusedRoutings++;
            return;
        }
        InstanceRouter.Choice choice = decodeRouter.route(request, views);
        BlisInstance target = views.get(choice.index()).instance();
        boolean isSplit = isSplit(request, target);
        splitDecisions.add(new BlisOutcome.SplitDecision(request.spec().id(), now, isSplit));
        String encodedBy = "";
        if (split.encode() > 0 && encodes(request)) {
            List<View> encoders = pool(behindShared, behindShared + split.encode(), 0, 0, now);
            if (encoders.isEmpty()) {
                refusedEncodings++;
                return;
            }
            encodedBy = encoders.get(router.route(request, encoders).index())
                    .instance()
                    .name();
        }
        if (isSplit) {
            SplitRequest whole =
                    new SplitRequest(request, target, encodedBy, config.engine().blockSize());
            splits.add(whole);
            events.add(now, PREFILL_ROUTING, later -> routePrefill(whole, later));
        } else {
            send(request, views, choice, now);
        }
    }

    private boolean isSplit(BlisRequest request, BlisInstance target) {
        return switch (config.split().decider()) {
            case "", "never" -> false;
            case "always" -> true;
            case "prefix-threshold" -> {
                int cached = signals.cached(target, request) * config.engine().blockSize();
                yield request.spec().promptLength() - cached > config.split().threshold();
            }
            default ->
                throw new IllegalArgumentException(
                        "unknown decider " + config.split().decider());
        };
    }

    private boolean encodes(BlisRequest request) {
        return switch (config.split().encodeDecider()) {
            case "", "never" -> false;
            case "always" -> true;
            case "multimodal" -> request.spec().hasImages();
            default ->
                throw new IllegalArgumentException(
                        "unknown encode decider " + config.split().encodeDecider());
        };
    }

    private void routePrefill(SplitRequest split, long now) {
        BlisConfig.Split pools = config.split();
        int behindDecode = pools.prefill() + pools.decode();
        List<View> views = pool(0, pools.prefill(), behindDecode, behindDecode + pools.shared(), now);
        if (views.isEmpty()) {
            refusedRoutings++;
            return;
        }
        BlisInstance chosen =
                views.get(prefillRouter.route(split.prefill, views).index()).instance();
        split.prefillBy = chosen.name();
        split.prefillEnqueuedAt = now;
        parts.put(split.prefill, split);
        start(split.prefill, chosen);
        chosen.arrive(split.prefill, now);
    }

    private void prefillEnded(BlisRequest part) {
        SplitRequest split = parts.get(part);
        if (split != null && part.state == BlisRequest.State.COMPLETED) {
            split.prefillDoneAt = clock;
            prefillsDone++;
            events.add(clock, TRANSFER_START, now -> startTransfer(split, now));
        }
    }

    private void startTransfer(SplitRequest split, long now) {
        split.transferStartedAt = now;
        BlisRequest part = new BlisRequest(split.whole.spec().decode(), true).sharing(split.whole);
        if (!split.target.isRoutable() || !split.target.reserve(part)) {
            droppedTransfers++;
            split.completedAt = now;
            return;
        }
        split.decode = part;
        BlisConfig.Split settings = config.split();
        double bandwidth = settings.bytesPerUs();
        if (settings.contends()) {
            transfers++;
            peakTransfers = Math.max(peakTransfers, transfers);
            transferDepths += transfers;
            transferStarts++;
            bandwidth /= transfers;
        }
        double bytes = split.blocks * (config.engine().blockSize() * settings.bytesPerToken());
        double moving = bandwidth > 0 ? bytes / bandwidth : 0;
        long duration = Math.max(1, (long) Math.ceil(settings.baseUs() + moving));
        events.add(now + duration, TRANSFER_END, later -> endTransfer(split, part, later));
    }

    private void endTransfer(SplitRequest split, BlisRequest part, long now) {
        split.transferDoneAt = now;
        transfers -= config.split().contends() ? 1 : 0;
        if (!split.target.isRoutable()) {
            split.target.unreserve(part);
            droppedTransfers++;
            split.completedAt = now;
            split.decode = null;
            return;
        }
        split.decodeEnqueuedAt = now;
        parts.put(part, split);
        start(part, split.target);
        split.target.arriveDecode(part, now);
    }

    private void decodeEnded(BlisRequest part) {
        SplitRequest split = parts.get(part);
        if (split != null) {
            split.completedAt = clock;
            decodesDone++;
            follow(split.whole, part.state, part.progress, clock);
        }
    }

    // Scaling.

    private void scale(long now) {
        List<View> views = signals.views(instances, now);
        long loading = instances.stream()
                .filter(instance -> instance.life == BlisInstance.Life.LOADING)
                .mapToLong(instance ->
                        (long) instance.engine().blocks() * instance.engine().blockSize())
                .sum();
        BlisConfig.Scaling settings = config.scaling().orElseThrow();
        scaler.flatMap(all -> all.decide(views, devices.kinds(), loading, now))
                .ifPresent(decision -> events.add(now + settings.scrapeDelay(), ACTUATION, later -> actuate(decision)));
        boolean hasWork = config.horizon() != Long.MAX_VALUE
                || pendingArrivals > 0
                || instances.stream().anyMatch(instance -> instance.inFlight > 0);
        if (hasWork) {
            events.add(now + settings.interval(), SCALING_TICK, this::scale);
        }
    }

    private void actuate(SaturationScaler.Decision decision) {
        for (int i = 0; i < decision.change(); i++) {
            added++;
            if (devices.hasRoom(decision.gpu())) {
                String number = String.valueOf(1_000_000 + added).substring(1);
                load(add("autoscale-" + config.model() + "-" + number, decision.gpu()));
            }
        }
        for (int i = 0; i < -decision.change(); i++) {
            Map<BlisInstance, String> kinds = devices.kinds();
            instances.stream()
                    .filter(instance -> instance.life == BlisInstance.Life.ACTIVE)
                    .filter(instance -> decision.gpu().equals(kinds.get(instance)))
                    .min(Comparator.comparing(BlisInstance::name))
                    .ifPresent(instance -> instance.life = BlisInstance.Life.DRAINING);
        }
    }

    private BlisOutcome outcome() {
        long correction = 0;
        for (SplitRequest split : splits) {
            correction += split.report();
        }
        long decoding = parts.keySet().stream()
                .filter(part -> part.isDecodePart)
                .filter(part -> part.state == BlisRequest.State.QUEUED || part.state == BlisRequest.State.RUNNING)
                .count();
        int between = prefillsDone - decodesDone - droppedTransfers - (int) decoding;
        BlisOutcome.Counts counts = new BlisOutcome.Counts(
                refusedAdmissions,
                refusedRoutings,
                refusedEncodings,
                gateway == null ? 0 : gateway.size(),
                gatewayRefused,
                gatewayShed,
                gatewayExpired,
                gatewayEvicted,
                shed,
                prefillsDone,
                droppedTransfers,
                Math.max(0, between),
                correction,
                peakTransfers,
                transferStarts == 0 ? 0 : transferDepths / (double) transferStarts);
        return new BlisOutcome(requests, instances, routes, refusals, splits, splitDecisions, counts);
    }
}
