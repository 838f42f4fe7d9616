package dev.pilothouse;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.net.Socket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.security.cert.X509Certificate;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLEngine;
import javax.net.ssl.TrustManager;
import javax.net.ssl.X509ExtendedTrustManager;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

@ExtendWith(PilothouseExtension.class)
class PilothouseExtensionTest {
  private static final String COLOURS =
      "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: colours, namespace: default}\ndata: {sky: \"blue \\\"and\\\" grey\"}\n";

  /** Asks the API itself, as any client does. Returns the status code. */
  private static int get(PilothouseServer server, String token) throws Exception {
    SSLContext trusting = SSLContext.getInstance("TLS");
    trusting.init(null, new TrustManager[] {new TrustAll()}, null);
    URI uri = URI.create(server.url() + "/api/v1/namespaces/default/configmaps/colours");
    HttpRequest request = HttpRequest.newBuilder(uri).header("Authorization", "Bearer " + token).build();
    HttpClient client = HttpClient.newBuilder().sslContext(trusting).build();
    return client.send(request, HttpResponse.BodyHandlers.ofString()).statusCode();
  }

  private static int get(PilothouseServer server) throws Exception {
    return get(server, server.token());
  }

  private static final class TrustAll extends X509ExtendedTrustManager {
    @Override
    public void checkClientTrusted(X509Certificate[] chain, String type) {}

    @Override
    public void checkClientTrusted(X509Certificate[] chain, String type, Socket socket) {}

    @Override
    public void checkClientTrusted(X509Certificate[] chain, String type, SSLEngine engine) {}

    @Override
    public void checkServerTrusted(X509Certificate[] chain, String type) {}

    @Override
    public void checkServerTrusted(X509Certificate[] chain, String type, Socket socket) {}

    @Override
    public void checkServerTrusted(X509Certificate[] chain, String type, SSLEngine engine) {}

    @Override
    public X509Certificate[] getAcceptedIssuers() {
      return new X509Certificate[0];
    }
  }

  @Test
  void resetsAndForks(PilothouseServer server) throws Exception {
    assertEquals(404, get(server));
    server.apply(COLOURS);
    server.snapshot("with colours");
    try (PilothouseServer fork = server.fork()) {
      server.reset();
      assertEquals(404, get(server));
      assertEquals(200, get(fork));
    }
    server.reset("with colours");
    assertEquals(200, get(server));
  }

  @Test
  void movesTheClock(PilothouseServer server) {
    Instant before = server.now();
    server.advance(Duration.ofHours(1));
    assertTrue(Duration.between(before, server.now()).compareTo(Duration.ofHours(1)) >= 0);
    server.settled();
  }

  @Test
  void breaksRequests(PilothouseServer server) throws Exception {
    server.apply(COLOURS);
    String fault = server.addFault(Map.of("verb", List.of("get", "list"), "error", Map.of("code", 503), "times", 1));
    assertEquals(503, get(server));
    assertEquals(200, get(server));
    assertEquals(1, server.removeFault(fault));
  }

  @Test
  void knowsUsersAndRequests(PilothouseServer server) throws Exception {
    assertEquals(403, get(server, server.userToken("alice", "devs")));
    List<Map<String, Object>> requests = server.requests(Map.of("verb", "get", "user", "alice"));
    assertEquals(1, requests.size());
    assertEquals(403.0, requests.get(0).get("status"));
    assertTrue(server.kubeconfig().contains(server.url()));
  }

  @Test
  void tellsWhatWasRefused(PilothouseServer server) {
    PilothouseException refused =
        assertThrows(PilothouseException.class, () -> server.apply("apiVersion: v1\nkind: Pod\nmetadata: {name: p}\n"));
    assertEquals(422, refused.code());
    assertTrue(refused.getMessage().contains("spec.containers"));
    PilothouseException failed = assertThrows(PilothouseException.class, () -> PilothouseServer.start("--no-such-flag"));
    assertTrue(failed.getMessage().contains("unknown flag: --no-such-flag"));
  }
}
