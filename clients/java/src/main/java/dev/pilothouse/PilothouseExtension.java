package dev.pilothouse;

import org.junit.jupiter.api.extension.BeforeEachCallback;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.junit.jupiter.api.extension.ParameterContext;
import org.junit.jupiter.api.extension.ParameterResolver;

/**
 * JUnit 5: one server for the whole run, put back to its start before each test, given to parameters of the type {@link PilothouseServer}.
 *
 * <pre>
 * &#64;ExtendWith(PilothouseExtension.class)
 * class ColoursTest {
 *   &#64;Test
 *   void keepsAColour(PilothouseServer server) { … }
 * }
 * </pre>
 */
public final class PilothouseExtension implements BeforeEachCallback, ParameterResolver {
  private static final ExtensionContext.Namespace NAMESPACE = ExtensionContext.Namespace.create(PilothouseExtension.class);

  /** The store of the root context closes it at the end of the run. */
  private static final class Held implements ExtensionContext.Store.CloseableResource {
    private final PilothouseServer server = PilothouseServer.start();

    @Override
    public void close() {
      server.close();
    }
  }

  @Override
  public void beforeEach(ExtensionContext context) {
    server(context).reset();
  }

  @Override
  public boolean supportsParameter(ParameterContext parameter, ExtensionContext context) {
    return parameter.getParameter().getType() == PilothouseServer.class;
  }

  @Override
  public Object resolveParameter(ParameterContext parameter, ExtensionContext context) {
    return server(context);
  }

  private static PilothouseServer server(ExtensionContext context) {
    return context.getRoot().getStore(NAMESPACE).getOrComputeIfAbsent(Held.class, key -> new Held(), Held.class).server;
  }
}
